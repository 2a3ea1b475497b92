// State maps: how the states of the output of a pass map to the states of its input, stored as
// differences from the identity (ARCHITECTURE.md); their lookup, composition, coverage and check.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/program_index.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace sourir {

using Position = std::uint32_t; // index into a version's body; body.size() is the end

// The frames of the input that a return frame of the output maps to, innermost first, and the
// deferred instructions that they share. The state is the one *before* the result is bound: the
// values are over the variables in scope at the call. A call of the output is identified by its own
// position (the keys of VersionMap::call_sites); an OuterFrame, here as in exits, names the place
// *after* a call of the input, the resume point of its continuation.
struct CallSiteFrames {
  std::vector<OuterFrame> frames;
  std::vector<Deferred> with;
  friend bool operator==(const CallSiteFrames&, const CallSiteFrames&) = default;
};

// The map of one version of the output program.
struct VersionMap {
  FunName function;
  VerName version;
  // The target of positions that are not listed: the same position of this version of the input
  // with the identity varmap over its scope. Empty: they are not mapped.
  std::optional<Place> identity; // function and version only
  // Listed positions; an empty optional: not mapped.
  std::map<Position, std::optional<Metadata>> states;
  // Call sites, by the position of the call. A call that is not listed maps to the call at the same
  // position of `identity`; an empty optional: not mapped.
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
// version; for many lookups in one map see MappedStates below.
std::optional<Metadata> mapped(const StateMap& map, const Program& input, FunName function,
                               VerName version, Position at);
// The same for the return frame of the call at `at`.
std::optional<CallSiteFrames> mapped_call_site(const StateMap& map, const Program& input,
                                               FunName function, VerName version, Position at);

// The map of two passes in a row: `first` from `intermediate` to `input`, `second` from `output` to
// `intermediate`; composes as exits compose. The outer frames of `second` are return frames in
// `intermediate`: each becomes the frames, one or more, to which `first` maps its call (or, if its
// place is not after a call, its place, by call_site_form).
StateMap compose(const StateMap& first, const StateMap& second, const Program& input,
                 const Program& intermediate, const Program& output, Names& names);

// The positions of a version at which a map is mandatory, ascending. These are, where scopes are
// defined (some root reaches the position): the entry, assumes and anchors, loop headers (targets
// of a jump from the same or a later position), instructions with an effect or a possible error,
// and calls twice, as a state and as a call site; not what stands directly behind an assume with
// the guard false.
struct MandatoryPosition {
  Position at = 0;
  bool call_site = false;
};
std::vector<MandatoryPosition> mandatory_positions(ProgramPositions& program, FunName function,
                                                   const Version& version);

// Share of the mandatory positions that have a state: {mapped, mandatory}.
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

// Whether a map from outside fits its two programs: the first problem as text; empty: none.
// Problems are versions, positions and places that do not exist, frames that do not name exactly
// the variables in scope at their place, and uses of variables that are not in scope at the
// position. (Whether the map is correct is for a checker to find out.)
std::string check_state_map(const StateMap& map, const Program& input, const Program& output,
                            const Names& names);

// A state map indexed for many lookups: the checker and composition look up every position. Refers
// to the map and the input program; belongs to one thread.
class MappedStates {
public:
  MappedStates(const StateMap& map, const Program& input);

  // As mapped() and mapped_call_site().
  std::optional<Metadata> state(FunName function, VerName version, Position at);
  std::optional<CallSiteFrames> call_site(FunName function, VerName version, Position at);

  // The frames for a return frame that resumes at `after` with `result`, where no call precedes
  // it: call_site_form of the state at `after`.
  std::optional<CallSiteFrames> call_site_from_state(FunName function, VerName version,
                                                     Position after, Var result);

  // The map of a version; null if it is not listed.
  const VersionMap* listed(FunName function, VerName version) const;
  // The identity of the version, if any: VersionMap::identity, or the version itself.
  std::optional<Place> identity(FunName function, VerName version) const;
  // The identity of a position, or of a call, of the input.
  std::optional<Metadata> identity_state(const Place& version, Position at);
  std::optional<CallSiteFrames> identity_call_site(const Place& version, Position at);

private:
  ProgramPositions input_;
  std::unordered_map<std::uint64_t, const VersionMap*> versions_;
};

} // namespace sourir
