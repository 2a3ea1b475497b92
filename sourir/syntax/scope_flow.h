// The walk that scopes.h and the well-formedness check share: forward from the roots of one version
// over its control-flow edges, with one scope that changes along the way. Its parts: the scope as a
// set with undo, hashes of scopes, the observer, and the tree of first edges.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/ids.h"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace sourir {

// The declaration of a variable in scope.
class Declaration {
public:
  constexpr Declaration() = default; // none
  static constexpr Declaration parameter() { return Declaration(1); }
  static constexpr Declaration exit() {
    return Declaration(2);
  } // of a label that only exits target
  static constexpr Declaration at(std::uint32_t position) { return Declaration(position + 3); }

  bool is_position() const { return code_ >= 3; }
  std::uint32_t position() const { return code_ - 3; }
  std::uint32_t code() const { return code_; }
  // A variable bound by an exit agrees with any declaration, but not with none.
  bool agrees_with(Declaration other) const {
    const bool both = *this != Declaration() && other != Declaration();
    return *this == other || (both && (*this == exit() || other == exit()));
  }
  friend bool operator==(Declaration, Declaration) = default;

private:
  constexpr explicit Declaration(std::uint32_t code) : code_(code) {}
  std::uint32_t code_ = 0;
};

// Sums over a set: equal sets have equal sums, different sets have equal ones with probability
// 2^-64.
struct ScopeHash {
  std::uint64_t names = 0, declarations = 0;
  std::uint32_t size = 0, from_exits = 0;

  void add(Var name) { names += of(name), ++size; }
  bool same_names(const ScopeHash& other) const {
    return names == other.names && size == other.size;
  }
  friend bool operator==(const ScopeHash&, const ScopeHash&) = default;

  static std::uint64_t of(Var name) { return mix(name.id); }
  static std::uint64_t of(Var name, Declaration declaration) {
    return mix(std::uint64_t{name.id} << 32 | declaration.code());
  }

private:
  static std::uint64_t mix(std::uint64_t value); // splitmix64
};

// The variables in scope at one place. Every change can be undone, and two sets are compared by
// hash: a walk over a program costs the changes, never the sizes of the scopes.
class ScopeSet {
public:
  using Mark = std::size_t;

  bool contains(Var name) const { return declaration(name) != Declaration(); }
  Declaration declaration(Var name) const { return slots_[find(name)].declaration; }
  const ScopeHash& hash() const { return hash_; }

  void declare(Var name, Declaration declaration); // no effect on a name in scope
  void drop(Var name);                             // no effect on other names

  Mark mark() const { return log_.size(); }
  void undo_to(Mark mark);
  void clear() { undo_to(0); }

  // In order of declaration.
  template <class Visit>
  void for_each(Visit&& visit) const {
    for (std::uint32_t slot = slots_[0].next; slot != 0; slot = slots_[slot].next)
      visit(slots_[slot].name, slots_[slot].declaration);
  }
  std::vector<Var> names(std::size_t at_most = ~std::size_t{0}) const;

private:
  struct Slot { // slot 0 closes the ring of those in scope; each other slot is for one name
    std::uint32_t previous = 0, next = 0;
    Declaration declaration;
    Var name;
  };
  struct Change {
    std::uint32_t slot;
    Slot before;
  };

  // The slot of a name; 0: it has none yet.
  std::uint32_t find(Var name) const { return table_[place(name)]; }
  std::size_t place(Var name) const {
    const std::size_t mask = table_.size() - 1;
    std::size_t at =
        static_cast<std::size_t>(name.id * std::uint64_t{0x9E3779B97F4A7C15} >> 32) & mask;
    while (table_[at] != 0 && slots_[table_[at]].name != name) at = (at + 1) & mask;
    return at;
  }
  std::uint32_t slot_for(Var name);

  void link(std::uint32_t slot, const Slot& as);
  void unlink(std::uint32_t slot);
  void count(std::uint32_t slot, std::uint64_t sign);

  std::vector<Slot> slots_ = std::vector<Slot>(1);
  std::vector<std::uint32_t> table_ = std::vector<std::uint32_t>(16); // at most half of it used
  std::vector<Change> log_;
  ScopeHash hash_;
};

using LabelPositions = std::unordered_map<Label, std::uint32_t>;

class ScopeObserver {
public:
  virtual ~ScopeObserver() = default;
  // Called once for each position that a root reaches, the end included. `scope` is that before the
  // instruction.
  virtual void at(std::uint32_t position, const ScopeSet& scope) = 0;
  // The edge from `source` brings `scope` to `target`; an earlier edge or root brought another one
  // (by ScopeHash).
  virtual void differs(std::uint32_t source, std::uint32_t target, const ScopeSet& scope) = 0;
};

class ScopeFlow;

// A scope computed again by ScopeFlow::rebuild, and the path of nodes to it.
struct RebuiltScope {
  struct Stop {
    std::uint32_t node;
    ScopeSet::Mark mark; // of the scope there
  };
  ScopeSet scope;
  const ScopeFlow* flow = nullptr;
  std::vector<Stop> way;
  std::size_t steps = 0; // instructions applied so far
};

// The result of the walk: for each position that can have several incoming edges, the edge by which
// it was reached first. Scopes are not kept; rebuild computes them again.
class ScopeFlow {
public:
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  ScopeFlow(const Version& version, const LabelPositions& labels);

  // Walks from a root. Precondition: the position is not reached yet.
  void run(std::uint32_t position, const std::vector<Var>& names, Declaration origin,
           ScopeSet& scope, ScopeObserver& observer);

  // Precondition of the following: position 0, a position with a label, or the end.
  bool reached(std::uint32_t position) const { return node_at_[position] != kNone; }
  const ScopeHash& hash(std::uint32_t position) const { return nodes_[node_at_[position]].hash; }
  // The instruction from which control came first; kNone: the position is a root.
  std::uint32_t first_source(std::uint32_t position) const {
    return nodes_[node_at_[position]].source;
  }
  // The scope at the position. Costs the part of the path that it does not share with the last one.
  void rebuild(std::uint32_t position, RebuiltScope& into) const;

private:
  struct Root {
    std::vector<Var> names;
    Declaration origin;
  };
  // The first path: from the node `parent` through consecutive positions to `source`, then here.
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
  void continue_at(std::uint32_t node, RebuiltScope& into) const;
  void straight_on(std::uint32_t node, ScopeSet& scope, ScopeObserver& observer);
  void jump(const Label& label, std::uint32_t node, std::uint32_t source, ScopeSet& scope,
            ScopeObserver& observer);
  // The new node; kNone if the position was reached before.
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
