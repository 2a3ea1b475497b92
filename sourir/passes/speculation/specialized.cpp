// Passes change active versions only, so the continuation is for a while one, of a function of its
// own.
#include "sourir/passes/scalar/constprop.h"
#include "sourir/passes/scalar/copyprop.h"
#include "sourir/passes/scalar/dce.h"
#include "sourir/passes/scalar/normalize.h"
#include "sourir/passes/scalar/simplify.h"
#include "sourir/passes/scalar/unreachable.h"
#include "sourir/passes/speculation/continuation.h"
#include "sourir/syntax/metadata_names.h"
#include "sourir/syntax/scopes.h"
#include "sourir/syntax/substitution.h"

#include <algorithm>
#include <utility>

namespace sourir {
namespace {

constexpr int kCleanUpRounds = 4;
// First what gives the copies of a variable names of their own.
constexpr Pass kCleanUp[] = {normalize, constprop, unreachable, copyprop, dce, simplify};

// The value over the second's output of what `lost` says about the first's.
LostVariable through(LostVariable lost, const std::vector<LostVariable>& later) {
  Substitution values;
  bool known = lost.value.has_value();
  const auto look = [&](Var x) {
    const auto found = std::ranges::find(later, x, &LostVariable::name);
    if (found == later.end()) return;
    known &= found->value && found->made.empty() && lost.made.empty();
    if (known) values.insert_or_assign(x, *found->value);
  };
  if (lost.value) for_each_variable(*lost.value, look);
  for (const DeferredInstr& line : lost.made)
    for_each_expr(line, [&](const Expr& e) { for_each_variable(e, look); });
  if (known && !values.empty()) lost.value = substitute(*lost.value, values);
  if (!known || !lost.value) lost.value.reset(), lost.made.clear();
  return lost;
}

// `later`: what the second has lost, under its names; `named`: under those of the first's input.
std::vector<LostVariable> composed(const std::vector<LostVariable>& first,
                                   const std::vector<LostVariable>& later,
                                   const std::vector<LostVariable>& named) {
  std::vector<LostVariable> all;
  for (const LostVariable& lost : first) all.push_back(through(lost, later));
  for (const LostVariable& lost : named)
    if (std::ranges::find(first, lost.name, &LostVariable::name) == first.end())
      all.push_back(lost);
  return all;
}

// With the names of the first's input. A name that it does not have stands for one variable of it
// that is not there under its own name; empty: for a value made of several.
std::optional<std::vector<LostVariable>> renamed(const VersionOrigin& first,
                                                 std::vector<LostVariable> lost) {
  for (LostVariable& gone : lost)
    for (const Binding& b : first.absent) {
      bool mentioned = false;
      for_each_variable(b.value, [&](Var x) { mentioned |= x == gone.name; });
      if (!mentioned) continue;
      if (b.value != Expr(SimpleExpr(gone.name))) return std::nullopt;
      gone.name = b.name;
      break;
    }
  return lost;
}

bool in_scope(const Scopes& scopes, Position at, Var x) {
  return scopes[at] && std::ranges::find(*scopes[at], x) != scopes[at]->end();
}

// The scopes of the first's output and of the second's.
struct ScopesOfBoth {
  Scopes first, second;
};

// Without a drop that the second has removed, the variable is still there, beside the one that its
// name stands for by now.
std::vector<LostVariable> outlived(const VersionOrigin& first, Position middle,
                                   const ScopesOfBoth& scopes, Position at) {
  std::vector<LostVariable> all;
  for (const Binding& b : first.absent)
    if (!in_scope(scopes.first, middle, b.name) && in_scope(scopes.second, at, b.name))
      all.push_back({b.name, b.value, {}});
  return all;
}

// The origin of the second in terms of the first's input. What has frames of its own is not mapped.
VersionOrigin composed(const VersionOrigin& first, VersionOrigin second,
                       const ScopesOfBoth& scopes) {
  static const std::vector<LostVariable> none;
  const auto lost_at = [](const VersionOrigin& origin, Position at) -> const auto& {
    const auto found = origin.lost.find(at);
    return found == origin.lost.end() ? none : found->second;
  };
  for (Position at = 0; at < second.positions.size(); ++at) {
    auto& position = second.positions[at];
    if (!position) continue;
    const Position middle = *position;
    position = middle < first.positions.size() ? first.positions[middle] : std::nullopt;
    std::vector<LostVariable> earlier = lost_at(first, middle);
    std::ranges::move(outlived(first, middle, scopes, at), std::back_inserter(earlier));
    const auto later = renamed(first, lost_at(second, at));
    if (!later) position.reset();
    if (!later || (earlier.empty() && later->empty())) continue;
    second.lost.insert_or_assign(at, composed(earlier, lost_at(second, at), *later));
  }
  second.from = first.from;
  for (auto& [at, state] : second.states) state.reset();
  for (auto& [at, frames] : second.pending) frames.reset();
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
  for (int round = 0; changed && round < kCleanUpRounds; ++round) {
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

} // namespace sourir
