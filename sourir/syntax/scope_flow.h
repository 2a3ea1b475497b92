// The walk behind scopes.h and the well-formedness check: forward from the roots of one version
// over its control-flow edges, with one scope that changes along the way.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/scope_set.h"

#include <unordered_map>

namespace sourir {

using LabelPositions = std::unordered_map<Label, std::uint32_t>;

class ScopeObserver {
public:
  virtual ~ScopeObserver() = default;
  // Control comes to `position` (once for each that a root reaches, the end included). `scope`
  // is what holds before its instruction.
  virtual void at(std::uint32_t position, const ScopeSet& scope) = 0;
  // The edge from `source` brings `scope` to `target`; an earlier edge or root brought another,
  // as ScopeHash tells it apart.
  virtual void differs(std::uint32_t source, std::uint32_t target, const ScopeSet& scope) = 0;
};

class ScopeFlow;

// A scope that was made again, and the way to it.
struct RebuiltScope {
  struct Stop {
    std::uint32_t node;
    ScopeSet::Mark mark; // of the scope there
  };
  ScopeSet scope;
  const ScopeFlow* flow = nullptr;
  std::vector<Stop> way;
  std::size_t steps = 0; // instructions gone over so far
};

// What is kept of the walk: for each position that can have several edges, the edge by which it
// was reached first. Scopes are not kept; rebuild makes them again.
class ScopeFlow {
public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  ScopeFlow(const Version& version, const LabelPositions& labels);

  // Walks from a root. Only where the position is not reached yet.
  void run(std::uint32_t position, const std::vector<Var>& names, Declaration origin,
           ScopeSet& scope, ScopeObserver& observer);

  // The rest is about position 0, positions with labels, and the end.
  bool reached(std::uint32_t position) const { return node_at_[position] != kNone; }
  const ScopeHash& hash(std::uint32_t position) const { return nodes_[node_at_[position]].hash; }
  // The instruction from which control came first; kNone: the position is a root.
  std::uint32_t first_source(std::uint32_t position) const {
    return nodes_[node_at_[position]].source;
  }
  // The scope at the position. Costs the way from where the last one and this one part.
  void rebuild(std::uint32_t position, RebuiltScope& into) const;

private:
  struct Root {
    std::vector<Var> names;
    Declaration origin;
  };
  // Control came from the node `parent` straight on to `source`, and from there here.
  struct Node {
    std::uint32_t position, parent, source, root;
    ScopeHash hash;
  };
  struct Pending {
    std::uint32_t node;
    ScopeSet::Mark mark;
  };

  bool joins(std::uint32_t position) const; // may have several edges
  void enter(const Root& root, ScopeSet& scope) const;
  void go_on(std::uint32_t node, RebuiltScope& into) const;
  void straight_on(std::uint32_t node, ScopeSet& scope, ScopeObserver& observer);
  void jump(const Label& label, std::uint32_t node, std::uint32_t source, ScopeSet& scope,
            ScopeObserver& observer);
  // The new node; kNone where the position was reached before.
  std::uint32_t arrive(std::uint32_t position, std::uint32_t parent, std::uint32_t source,
                       ScopeSet& scope, ScopeObserver& observer);

  const Version& version_;
  const LabelPositions& labels_;
  std::vector<std::uint32_t> node_at_;
  std::vector<Node> nodes_;
  std::vector<Root> roots_;
  std::vector<Pending> pending_;
};

} // namespace sourir
