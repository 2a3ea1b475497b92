#include "sourir/passes/speculation/continuation.h"

#include "sourir/analysis/var_map.h"
#include "sourir/passes/scalar/constprop.h"
#include "sourir/passes/scalar/copyprop.h"
#include "sourir/passes/scalar/dce.h"
#include "sourir/passes/scalar/normalize.h"
#include "sourir/passes/scalar/simplify.h"
#include "sourir/passes/scalar/unreachable.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/expr.h"
#include "sourir/syntax/scopes.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

namespace sourir {

namespace {

// --- Optimization of a continuation --------------------------------------------------------------

constexpr int kCleanUpIterations = 4;
// normalize first: it gives each copy of a variable a name of its own.
constexpr Pass kCleanUp[] = {normalize, constprop, unreachable, copyprop, dce, simplify};

// An optimized-out variable of a first pass, over the output of a second.
OptimizedOutVariable through(OptimizedOutVariable gone,
                             const std::vector<OptimizedOutVariable>& later) {
  Substitution values;
  bool known = gone.value.has_value();
  const auto look = [&](Var x) {
    const auto found = std::ranges::find(later, x, &OptimizedOutVariable::name);
    if (found == later.end()) return;
    known &= found->value && found->made.empty() && gone.made.empty();
    if (known) values.insert_or_assign(x, *found->value);
  };
  if (gone.value) for_each_variable(*gone.value, look);
  for (const DeferredInstr& line : gone.made)
    for_each_expr(line, [&](const Expr& e) { for_each_variable(e, look); });
  if (known && !values.empty()) gone.value = substitute(*gone.value, values);
  if (!known || !gone.value) gone.value.reset(), gone.made.clear();
  return gone;
}

// Of two passes in a row. `later`: the optimized-out variables of the second under its own names;
// `named`: under the names of the first's input.
std::vector<OptimizedOutVariable> composed(const std::vector<OptimizedOutVariable>& first,
                                           const std::vector<OptimizedOutVariable>& later,
                                           const std::vector<OptimizedOutVariable>& named) {
  std::vector<OptimizedOutVariable> all;
  for (const OptimizedOutVariable& gone : first) all.push_back(through(gone, later));
  for (const OptimizedOutVariable& gone : named)
    if (std::ranges::find(first, gone.name, &OptimizedOutVariable::name) == first.end())
      all.push_back(gone);
  return all;
}

// The variables under the names of the first's input. A name that the input lacks stands for the
// variable that `absent` gives; empty: for a value computed from several.
std::optional<std::vector<OptimizedOutVariable>>
renamed(const VersionOrigin& first, std::vector<OptimizedOutVariable> variables) {
  for (OptimizedOutVariable& gone : variables)
    for (const Binding& b : first.absent) {
      bool mentioned = false;
      for_each_variable(b.value, [&](Var x) { mentioned |= x == gone.name; });
      if (!mentioned) continue;
      if (b.value != Expr(SimpleExpr(gone.name))) return std::nullopt;
      gone.name = b.name;
      break;
    }
  return variables;
}

bool in_scope(const Scopes& scopes, Position at, Var x) {
  return scopes[at] && std::ranges::find(*scopes[at], x) != scopes[at]->end();
}

// The scopes of the first's output and of the second's.
struct ScopesOfBoth {
  Scopes first, second;
};

// The first value of the name by `absent` whose variables are in scope; null: none.
const Expr* absent_value(const std::vector<Binding>& absent, Var name, const Scopes& scopes,
                         Position at) {
  for (const Binding& b : absent) {
    bool there = b.name == name;
    for_each_variable(b.value, [&](Var x) { there = there && in_scope(scopes, at, x); });
    if (there) return &b.value;
  }
  return nullptr;
}

// The values of names that differ in the second's output, because it removed a drop of another
// variable of the name: one that is in scope there only, and one that would be taken for it.
std::vector<OptimizedOutVariable> undropped_names(const VersionOrigin& first, Position intermediate,
                                                  const ScopesOfBoth& scopes, Position at) {
  std::vector<OptimizedOutVariable> all;
  for (const Binding& b : first.absent) {
    if (in_scope(scopes.first, intermediate, b.name)) continue;
    if (std::ranges::find(all, b.name, &OptimizedOutVariable::name) != all.end()) continue;
    const Expr* const value = absent_value(first.absent, b.name, scopes.first, intermediate);
    const Expr* const taken = absent_value(first.absent, b.name, scopes.second, at);
    const bool other = in_scope(scopes.second, at, b.name) || (taken && value && *taken != *value);
    if (other) all.push_back({b.name, value ? *value : b.value, {}});
  }
  return all;
}

// The origin of the second in terms of the first's input. Positions with frames of their own are
// not mapped.
VersionOrigin composed(const VersionOrigin& first, VersionOrigin second,
                       const ScopesOfBoth& scopes) {
  static const std::vector<OptimizedOutVariable> none;
  const auto optimized_out_at = [](const VersionOrigin& origin, Position at) -> const auto& {
    const auto found = origin.optimized_out.find(at);
    return found == origin.optimized_out.end() ? none : found->second;
  };
  for (Position at = 0; at < second.positions.size(); ++at) {
    auto& position = second.positions[at];
    if (!position) continue;
    const Position intermediate = *position;
    position = intermediate < first.positions.size() ? first.positions[intermediate] : std::nullopt;
    std::vector<OptimizedOutVariable> earlier = optimized_out_at(first, intermediate);
    std::ranges::move(undropped_names(first, intermediate, scopes, at),
                      std::back_inserter(earlier));
    const auto later = renamed(first, optimized_out_at(second, at));
    if (!later) position.reset();
    if (!later || (earlier.empty() && later->empty())) continue;
    second.optimized_out.insert_or_assign(at,
                                          composed(earlier, optimized_out_at(second, at), *later));
  }
  second.from = first.from;
  for (auto& [at, state] : second.states) state.reset();
  for (auto& [at, frames] : second.call_sites) frames.reset();
  second.absent.insert(second.absent.end(), first.absent.begin(), first.absent.end());
  return second;
}

FunName unused_function(const Program& program, Names& names) {
  FreshNames fresh(names);
  for (const Function& f : program.functions) fresh.use(f.name);
  return fresh.fresh<FunName>("continuation");
}

Scopes scopes_of_last(const Program& program) {
  const Function& last = program.functions.back();
  return scopes_of(program, last, last.versions.front());
}

} // namespace

// Passes change active versions only: meanwhile the continuation is the active version of a
// function of its own.
MadeContinuation specialized(MadeContinuation continuation, FunName function,
                             const Program& program, Names& names) {
  const ContinuationHeader header = *std::exchange(continuation.version.cont, std::nullopt);
  const std::vector<Expr> when = std::exchange(continuation.version.when, {});
  const FunName name = unused_function(program, names);
  // Of the other functions only the number of parameters matters.
  Program whole;
  for (const Function& f : program.functions)
    whole.functions.push_back({f.name, f.params, {}, false, {}});
  whole.functions.push_back({name, header.names, {std::move(continuation.version)}, false, {}});
  PassOptions only;
  only.set("functions", std::string(names.text(name)));
  const Feedback none;
  bool changed = true;
  for (int n = 0; changed && n < kCleanUpIterations; ++n) {
    changed = false;
    for (const Pass pass : kCleanUp) {
      auto result = pass({whole, names, only, none});
      if (!result) continue;
      changed = true;
      const ScopesOfBoth scopes{scopes_of_last(whole), scopes_of_last(result->program)};
      whole = std::move(result->program);
      for (VersionOrigin& origin : result->origins)
        if (origin.function == name)
          continuation.origin = composed(continuation.origin, std::move(origin), scopes);
    }
  }
  continuation.version = std::move(whole.functions.back().versions.front());
  continuation.version.cont = header;
  continuation.version.when = when;
  continuation.origin.function = function;
  return continuation;
}

namespace {

// --- Construction of a continuation --------------------------------------------------------------

// The set of the variables in scope at the start of the continuation that have been declared again
// since. Paths that differ in it must not join: positions are copied for each set.
using Again = std::uint64_t;

struct Node {
  Again again = 0;
  Position at = 0;
  friend auto operator<=>(const Node&, const Node&) = default;
};
struct NodeHash {
  std::size_t operator()(const Node& n) const {
    return std::hash<std::uint64_t>()(n.again * 0x9e3779b97f4a7c15 + n.at);
  }
};

constexpr Node kHeader{0, ~Position{0}};

class Builder {
public:
  Builder(VersionAnalyses& source, const ContinuationPlan& plan, Names& names, TargetLabels& labels)
      : source_(source), version_(source.version()), plan_(plan), labels_(labels),
        fresh_(names_in(source.function(), version_, names)), positions_(label_positions(version_)),
        draft_({source.function().name, version_.name, {}, 0}, header()) {}

  // Empty: too many copies would be needed, or the context mentions a variable that is not in
  // scope.
  std::optional<MadeContinuation> build() {
    if (!context_in_scope() || !find_nodes()) return std::nullopt;
    find_jumps();
    draft_.reserve(nodes_.size() + extra_.size() + 2);
    add({}, Assume{plan_.expected, exit_at(plan_.from, plan_.back)}, plan_.from);
    const Node start{0, plan_.from};
    if (nodes_.front() != start || !names_at(start).empty() || extra_.contains(start))
      add({}, Goto{entry_label(start)}, plan_.from);
    for (const Node& node : nodes_) emit(node);
    auto done = std::move(draft_).finish(source_.function().name, end_labels(),
                                         static_cast<Position>(version_.body.size()));
    return MadeContinuation{std::move(done.version), std::move(done.origin)};
  }

private:
  Version header() const {
    const Scope scope = *source_.scopes()[plan_.from];
    return {plan_.name,
            ContinuationHeader{plan_.back, {scope.begin(), scope.end()}},
            version_.when,
            {},
            {},
            {}};
  }

  bool context_in_scope() const {
    const auto& scope = *source_.scopes()[plan_.from];
    bool all = true;
    for (const Expr& e : version_.when)
      for_each_variable(
          e, [&](Var x) { all = all && std::find(scope.begin(), scope.end(), x) != scope.end(); });
    return all;
  }

  Again bit(Var x) const {
    const auto& scope = *source_.scopes()[plan_.from];
    const auto found = std::find(scope.begin(), scope.end(), x);
    return found == scope.end() ? 0 : Again{1} << (found - scope.begin());
  }
  Again after(const Node& node) const {
    const ScopeEffect effect = scope_effect(version_.body[node.at].instr);
    if (effect.declares != nullptr) return node.again | bit(*effect.declares);
    return effect.drops != nullptr ? node.again & ~bit(*effect.drops) : node.again;
  }
  // Whether the instruction changes the set: other paths may reach the next position with the same
  // set.
  bool changes_again(Position at) const {
    const ScopeEffect effect = scope_effect(version_.body[at].instr);
    return (effect.declares != nullptr && bit(*effect.declares) != 0) ||
           (effect.drops != nullptr && bit(*effect.drops) != 0);
  }
  bool starts_block(Position at) const {
    const Cfg& cfg = source_.cfg();
    return cfg[cfg.block_of(at)].begin == at;
  }
  bool at_end(Position at) const { return at >= version_.body.size(); }

  // The declaration of each variable in scope: by the header, or at a node.
  using Declarations = VarMap<Node>;

  Declarations after(const Node& node, Declarations scope) const {
    const ScopeEffect effect = scope_effect(version_.body[node.at].instr);
    if (effect.declares != nullptr) scope.set(*effect.declares, node);
    if (effect.drops != nullptr) scope.erase(*effect.drops);
    return scope;
  }

  // False: too many of them, or paths with different declarations join.
  bool find_nodes() {
    constexpr std::size_t kMostVariables = 64, kMostCopies = 4;
    if (source_.scopes()[plan_.from]->size() > kMostVariables) return false;
    std::unordered_map<Node, Declarations, NodeHash> scopes;
    std::vector<Node> work;
    bool agree = true;
    const auto reach = [&](Node node, const Declarations& scope) {
      if (at_end(node.at)) return;
      const auto [found, fresh] = scopes.try_emplace(node, scope);
      if (fresh) work.push_back(node);
      agree = agree && found->second == scope;
    };
    Declarations start;
    for (const Var x : *source_.scopes()[plan_.from]) start.set(x, kHeader);
    reach({0, plan_.from}, start);
    while (!work.empty() && agree) {
      Node node = work.back();
      work.pop_back();
      Declarations scope = scopes.at(node);
      // Along a straight line the scopes are not kept: no other path joins.
      for (bool along = true; along;) {
        nodes_.push_back(node);
        scope = after(node, std::move(scope));
        const Successors next = successors(version_.body[node.at].instr);
        for (const Label* const label : {next.first, next.second})
          if (label != nullptr) reach({node.again, positions_.at(*label)}, scope);
        const Node following{after(node), node.at + 1};
        along = next.next && !at_end(following.at) && !changes_again(node.at) &&
                following.at != plan_.from && !starts_block(following.at);
        if (next.next && !along) reach(following, scope);
        node = following;
      }
      if (nodes_.size() > kMostCopies * version_.body.size()) return false;
    }
    std::sort(nodes_.begin(), nodes_.end());
    nodes_.erase(std::unique(nodes_.begin(), nodes_.end()), nodes_.end());
    return agree;
  }

  void find_jumps() {
    for (const Node& node : nodes_) {
      const Successors next = successors(version_.body[node.at].instr);
      for (const Label* const label : {next.first, next.second})
        if (label != nullptr)
          name_of(node.again, *label), branched_[*label] |= next.second != nullptr;
      if (next.next && after(node) != node.again && !at_end(node.at + 1))
        extra_.try_emplace({after(node), node.at + 1}, fresh_.fresh<Label>("again"));
    }
  }

  // The first copy keeps its labels.
  Label name_of(Again again, Label label) {
    const auto [found, fresh] = jumps_.try_emplace({again, label}, label);
    if (fresh && again != 0) found->second = fresh_.fresh<Label>(fresh_.names().text(label));
    return found->second;
  }
  std::vector<Label> names_at(const Node& node) const {
    return names_at(node.again, version_.body[node.at].leading);
  }
  std::vector<Label> names_at(Again again, const LeadingTrivia& leading) const {
    std::vector<Label> names;
    for (const Label label : leading.labels)
      if (const auto found = jumps_.find({again, label}); found != jumps_.end())
        names.push_back(found->second);
    return names;
  }
  LeadingTrivia end_labels() const {
    LeadingTrivia leading;
    for (const auto& [jump, name] : jumps_)
      if (positions_.at(jump.second) == version_.body.size()) leading.labels.push_back(name);
    return leading;
  }

  // A label there that only gotos use, or a fresh one.
  Label entry_label(const Node& start) {
    for (const Label label : version_.body[start.at].leading.labels)
      if (jumps_.contains({0, label}) && !branched_.at(label)) return label;
    return extra_.try_emplace(start, fresh_.fresh<Label>("entry")).first->second;
  }

  void emit(const Node& node) {
    LeadingTrivia leading;
    leading.labels = names_at(node);
    if (const auto extra = extra_.find(node); extra != extra_.end()) {
      // Normal form: nothing falls through to a label that is jumped to, and labels of branches
      // have no other use.
      if (falls_ || !leading.labels.empty()) add(std::move(leading), Goto{extra->second}, node.at);
      leading = {};
      leading.labels.push_back(extra->second);
    }
    add(std::move(leading), chained(node), node.at);
    if (falls_ && at_end(node.at + 1)) add({}, Stop{}, node.at + 1); // other nodes may follow
    if (!falls_ || after(node) == node.again) return;
    add({}, Goto{extra_.at({after(node), node.at + 1})}, node.at + 1);
  }

  void add(LeadingTrivia leading, Instruction instr, Position origin) {
    falls_ = successors(instr).next;
    draft_.add({std::move(leading), std::move(instr)}, origin);
  }

  Instruction chained(const Node& node) {
    Instruction instr = version_.body[node.at].instr;
    if (auto* const branch = std::get_if<Branch>(&instr)) {
      branch->if_true = name_of(node.again, branch->if_true);
      branch->if_false = name_of(node.again, branch->if_false);
    } else if (auto* const go = std::get_if<Goto>(&instr)) {
      go->target = name_of(node.again, go->target);
    } else if (exit_of(instr) != nullptr) {
      Metadata exit = exit_at(node.at, node.at == plan_.from ? plan_.back : labels_.at(node.at));
      if (auto* const assume = std::get_if<Assume>(&instr))
        assume->exit = std::move(exit);
      else
        instr = Anchor{std::move(exit)};
    }
    return instr;
  }

  Metadata exit_at(Position at, Label label) {
    return identity_exit(source_.function().name, version_.name, label, *source_.scopes()[at]);
  }

  VersionAnalyses& source_;
  const Version& version_;
  const ContinuationPlan& plan_;
  TargetLabels& labels_;
  FreshNames fresh_;
  std::unordered_map<Label, std::uint32_t> positions_;
  std::vector<Node> nodes_;                        // in the order in which they are emitted
  std::map<std::pair<Again, Label>, Label> jumps_; // new names of labels that are jumped to
  std::map<Label, bool> branched_;                 // whether branches use the label
  std::map<Node, Label> extra_; // labels for jumps that the version does not have
  bool falls_ = false;
  VersionDraft draft_;
};

} // namespace

std::optional<MadeContinuation> continuation_of(VersionAnalyses& source,
                                                const ContinuationPlan& plan, Names& names,
                                                TargetLabels& labels) {
  return Builder(source, plan, names, labels).build();
}

} // namespace sourir
