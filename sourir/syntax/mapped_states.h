// A state map ready for many questions: the checker and composition ask at every position.
#pragma once

#include "sourir/syntax/program_positions.h"
#include "sourir/syntax/state_map.h"

namespace sourir {

// Keeps references to the map and the input program.
class MappedStates {
public:
  MappedStates(const StateMap& map, const Program& input);

  // As mapped() and mapped_pending().
  std::optional<Metadata> state(FunName function, VerName version, Position at);
  std::optional<Pending> pending(FunName function, VerName version, Position at);

  // What a frame stands for that waits in front of a position for `result`, where no call for it
  // stands: the state behind it, with whatever has the value of `result` left out.
  std::optional<Pending> waiting(FunName function, VerName version, Position behind, Var result);

  // The map of a version; null if it is not listed.
  const VersionMap* listed(FunName function, VerName version) const;
  // Where the version goes by identity, if it does: VersionMap::identity, or the version itself.
  std::optional<Place> identity(FunName function, VerName version) const;
  // The identity of a position, or of a call, of the input.
  std::optional<Metadata> identity_state(const Place& version, Position at);
  std::optional<Pending> identity_pending(const Place& version, Position at);

private:
  ProgramPositions input_;
  std::unordered_map<std::uint64_t, const VersionMap*> versions_;
};

} // namespace sourir
