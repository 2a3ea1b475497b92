// The origins of the positions of a version that a pass made: its part of the state map, at one
// number a position. state_map() expands it on demand.
#pragma once

#include "sourir/syntax/state_map.h"

#include <unordered_map>

namespace sourir {

// A copy of code in a version: inlined, or unrolled. Its variables may have other names there.
struct OriginContext {
  Place from;                         // the version of the input that was copied
  std::unordered_map<Var, Var> names; // of `from` to the output's; not listed: the same
  // Inlined code: the position, in the context `caller`, of the call that it replaces.
  std::optional<Position> call;
  std::uint32_t caller = 0;

  Var name(Var x) const {
    const auto found = names.find(x);
    return found == names.end() ? x : found->second;
  }
};

// An optimized-out variable: the output's variable of that name, if there is one, does not have the
// value that it has in the input.
struct OptimizedOutVariable {
  Var name;
  std::optional<Expr> value;            // over the output's variables; empty: unknown
  std::vector<DeferredInstr> made = {}; // lines of a block that make what the value mentions
  friend bool operator==(const OptimizedOutVariable&, const OptimizedOutVariable&) = default;
};

struct VersionOrigin {
  FunName function;
  VerName version; // of the output
  Place from;      // the version of the input: function and version only
  // By position of the output, 0 .. body.size(): the position of `from` whose state it has, all
  // variables under the names that they have there. Empty: not mapped, unless listed below.
  std::vector<std::optional<Position>> positions;
  // Which copy the position belongs to: 0 is `from` itself, k is contexts[k - 1], and its entry in
  // `positions` then is one of that copy's version. Positions after the last entry belong to 0.
  std::vector<std::uint32_t> context_of;
  std::vector<OriginContext> contexts;
  // Values of variables that the output does not have where the input does. They hold wherever
  // the variables that they mention are in scope in the output (or are listed themselves); of
  // several values for one variable, the first such one counts.
  std::vector<Binding> absent;
  // By position of the output, of context 0.
  std::map<Position, std::vector<OptimizedOutVariable>> optimized_out;
  // Positions, and calls with their call-site frames, that have frames of their own.
  std::map<Position, std::optional<Metadata>> states;
  std::map<Position, std::optional<CallSiteFrames>> call_sites;
};

// A variable that is in scope in the input, not in the output and not listed is unknown (`?`).
StateMap state_map(const std::vector<VersionOrigin>& origins, const Program& input,
                   const Program& output);

} // namespace sourir
