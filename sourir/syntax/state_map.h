// State maps: how the states of a pass's output map to states of its input (ARCHITECTURE.md,
// docs/soundness.md). Stored as differences from the identity.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/program_index.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sourir {

using Position = std::uint32_t; // index into a version's body; body.size() is the end

// What a frame stands for while it waits at a call, innermost first, and the deferred instructions
// that all of its frames share. The state is the one *before* the result is bound: the values are
// over the variables in scope at the call. Where a frame waits is said in two ways, on purpose:
// a call is named by its own position (the keys of VersionMap::call_sites), because that is where
// the waiting frame stands in the output and where the call is found; an OuterFrame, here as in
// exits, names the place *after* a call of the input, because that is where its continuation goes
// on.
struct CallSiteFrames {
  std::vector<OuterFrame> frames;
  std::vector<Deferred> with;
  friend bool operator==(const CallSiteFrames&, const CallSiteFrames&) = default;
};

// The map of one version of the output program.
struct VersionMap {
  FunName function;
  VerName version;
  // Where positions that are not listed map to: the same position of this version of the input
  // with the identity varmap over its scope. Empty: they are not mapped.
  std::optional<Place> identity; // function and version only
  // Listed positions; an empty optional says that the position is not mapped.
  std::map<Position, std::optional<Metadata>> states;
  // Call sites, by the position of the call. A call that is not listed waits as the
  // call at the same position of `identity` does; an empty optional: not mapped.
  std::map<Position, std::optional<CallSiteFrames>> call_sites;
  friend bool operator==(const VersionMap&, const VersionMap&) = default;
};

// From places of the output to frames in the input. A version that is not listed maps to itself.
struct StateMap {
  std::vector<VersionMap> versions;
  friend bool operator==(const StateMap&, const StateMap&) = default;
};

// The frames that rebuild the input's state at position `at` of the output's version; the
// identity is written out over the scope in `input`. Empty: not mapped. Costs an analysis of the
// version; for many questions about one map see MappedStates (state_map.h).
std::optional<Metadata> mapped(const StateMap& map, const Program& input, FunName function,
                               VerName version, Position at);
// The same for a frame that waits at the call at `at`.
std::optional<CallSiteFrames> mapped_call_site(const StateMap& map, const Program& input,
                                               FunName function, VerName version, Position at);

// The map of two passes in a row: `first` from `intermediate` to `input`, `second` from `output` to
// `intermediate`; composes as exits compose. The outer frames of `second` wait in intermediate:
// each becomes what `first` says that its call stands for (for one that does not stand after a
// call: what `first` says about its place, the result being what is returned), and may be several.
StateMap compose(const StateMap& first, const StateMap& second, const Program& input,
                 const Program& intermediate, const Program& output, Names& names);

// Share of the positions where a map is mandatory that have one: {mapped, mandatory}. Mandatory
// are, where scopes are defined (some root reaches the position): the entry, assumes and anchors,
// loop headers (targets of a jump from the same or a later position), instructions with an effect
// or a possible error, and calls twice, as a state and as a call site.
struct Coverage {
  std::size_t mapped = 0, mandatory = 0;
  friend bool operator==(const Coverage&, const Coverage&) = default;
};
Coverage coverage(const StateMap& map, const Program& input, const Program& output);

// The frames at a call, from the state after it: `state` is over the variables after a call whose
// result is `result`, the answer over those at the call; its innermost frame gets the result in the
// variable whose value is `result`. Empty: no variable of that frame has it, or it is used in
// another way too, or a value reads the heap, which the callee may change.
std::optional<CallSiteFrames> call_site_form(const Metadata& state, Var result);

// Whether a map that comes from outside fits its two programs: the first thing that is wrong, or
// nothing. Wrong are versions, positions and places that are not there, and frames that do not name
// exactly what is in scope at their place, or use what is not in scope at the position. (Whether
// the map is right is for a checker to find out.)
std::string check_state_map(const StateMap& map, const Program& input, const Program& output,
                            const Names& names);

// A state map with an index, for the checker and composition, which look up every position.

// Keeps references to the map and the input program.
class MappedStates {
public:
  MappedStates(const StateMap& map, const Program& input);

  // As mapped() and mapped_call_site().
  std::optional<Metadata> state(FunName function, VerName version, Position at);
  std::optional<CallSiteFrames> call_site(FunName function, VerName version, Position at);

  // What a frame stands for that waits in front of a position for `result`, where no call for it
  // stands: the state after it, with whatever has the value of `result` left out.
  std::optional<CallSiteFrames> call_site_from_state(FunName function, VerName version,
                                                     Position after, Var result);

  // The map of a version; null if it is not listed.
  const VersionMap* listed(FunName function, VerName version) const;
  // Where the version goes by identity, if it does: VersionMap::identity, or the version itself.
  std::optional<Place> identity(FunName function, VerName version) const;
  // The identity of a position, or of a call, of the input.
  std::optional<Metadata> identity_state(const Place& version, Position at);
  std::optional<CallSiteFrames> identity_call_site(const Place& version, Position at);

private:
  ProgramPositions input_;
  std::unordered_map<std::uint64_t, const VersionMap*> versions_;
};

} // namespace sourir
