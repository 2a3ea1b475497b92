// Passes change active versions only, so the continuation is for a while one, of a function of its
// own.
#include "sourir/passes/constprop.h"
#include "sourir/passes/continuation.h"
#include "sourir/passes/copyprop.h"
#include "sourir/passes/dce.h"
#include "sourir/passes/normalize.h"
#include "sourir/passes/simplify.h"
#include "sourir/passes/unreachable.h"

#include <utility>

namespace sourir {
namespace {

constexpr int kRounds = 4;
// First what gives the copies of a variable names of their own.
constexpr Pass kPasses[] = {normalize, constprop, unreachable, copyprop, dce, simplify};

// The origin of the second in terms of the first's input. What has frames of its own, or lost a
// value, is not mapped.
VersionOrigin composed(const VersionOrigin& first, VersionOrigin second) {
  second.from = first.from;
  for (auto& position : second.positions)
    position = position && *position < first.positions.size() && !second.lost.contains(*position)
                   ? first.positions[*position]
                   : std::nullopt;
  second.lost.clear();
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
  for (int round = 0; changed && round < kRounds; ++round) {
    changed = false;
    for (const Pass pass : kPasses) {
      auto result = pass({whole, names, only, none});
      if (!result) continue;
      changed = true;
      whole = std::move(result->program);
      for (VersionOrigin& origin : result->origins)
        if (origin.function == name)
          continuation.origin = composed(continuation.origin, std::move(origin));
    }
  }
  continuation.version = std::move(whole.functions.back().versions.front());
  continuation.version.cont = header;
  continuation.version.when = when;
  continuation.origin.function = function;
  return continuation;
}

} // namespace sourir
