// The check of a version that was made while a program ran, before it is used (docs/runtime.md,
// "Verification of optimized versions"). It is *decided* if nothing differs and all of it was
// tried: each of its loops for one iteration from up to kHeadStates states at its head, each of its
// exits once, and each mandatory position of its state map (sourir/syntax/state_map.h); and if
// instructions that no run comes to agree with most of the values that they may read
// (sourir/bisim/operand_votes.h). A version that is not decided must not be used.
#pragma once

#include "sourir/bisim/lockstep.h"
#include "sourir/semantics/config.h"

#include <span>

namespace sourir {

inline constexpr std::uint64_t kHeadStates = 16;

struct CallState {
  std::vector<Value> arguments;
  const Heap& heap;
};

struct AddedVersion {
  const Program& input;  // before the version was made
  const Program& output; // with it
  const StateMap& map;
  FunName function;
  VerName version;
  std::span<const CallState> states; // from which it is tried, the one that led to it last
  // False: of an outlined loop, whose exits may rely on what holds before it. With other arguments
  // only agreement counts then.
  bool any_arguments = true;
};

// What a version has, and how much of it was tried.
struct TriedParts {
  std::uint64_t loops = 0, loops_compared = 0, head_states = 0;
  std::uint64_t exits = 0, exits_taken = 0;
  std::uint64_t positions = 0, positions_compared = 0;
  // Of them: but for live variables of the input that the map does not know, as the version has
  // been optimized.
  std::uint64_t positions_partial = 0;
  // Of all these, compared only in states that the program may never come to, and only with values
  // that the check chose for variables that the map does not know.
  std::uint64_t parts_assumed = 0, parts_chosen = 0;

  std::uint64_t parts() const { return loops_compared + exits_taken + positions_compared; }
  void add(const TriedParts& other);
};

// How much is tried at most.
struct AddedVersionLimits {
  // Steps of the runs from whose states parts start: first the shorter one.
  std::uint64_t sampled_steps[2] = {500'000, 20'000'000};
  std::uint64_t varied_states = 2000;     // instead of those of the program
  std::uint64_t searched_states = 20'000; // by the search, and as many as if guards held
  std::uint64_t input_steps = 4'000'000;  // of the input, once, where it matters
  std::uint64_t event_steps = 2'000'000;  // where there is no map
};

struct AddedVersionVerdict {
  // Inconclusive: not decided. `report` says why, or what differs.
  Agreement agreement = Agreement::Equivalent;
  std::string report;
  TriedParts tried;
};

// Takes the limits of its runs from `options`, of which `fuel` and `all_fuel` bound the check from
// the state, and as many steps again those of the parts.
AddedVersionVerdict check_added_version(const AddedVersion& added, const LockstepOptions& options,
                                        Names& names, const AddedVersionLimits& limits = {});

} // namespace sourir
