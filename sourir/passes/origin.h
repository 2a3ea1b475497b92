// Where the positions of a version that a pass made come from: its part of the state map, in a
// form that costs a number for each position. state_map() spells it out when somebody asks.
#pragma once

#include "sourir/syntax/state_map.h"

namespace sourir {

struct VersionOrigin {
  FunName function;
  VerName version; // of the output
  Place from;      // the version of the input: function and version only
  // By position of the output, 0 .. body.size(): the position of `from` whose state it has, all
  // variables under the names that they have there. Empty: not mapped, unless listed below.
  std::vector<std::optional<Position>> positions;
  // Values of variables that the output does not have where the input does. They hold wherever
  // the variables that they mention are in scope in the output (or are listed themselves).
  std::vector<Binding> absent;
  // Positions, and calls in pending form, with frames of their own.
  std::map<Position, std::optional<Metadata>> states;
  std::map<Position, std::optional<Pending>> pending;
};

// A variable that is in scope in the input, not in the output and not listed is unknown (`?`).
StateMap state_map(const std::vector<VersionOrigin>& origins, const Program& input,
                   const Program& output);

} // namespace sourir
