// Whether a program depends on which version of a function is active: the versions of each function
// are entered with the same arguments, heap and continuation, in the states of real runs and in
// generated ones, and what can be observed is compared. Continuations, and versions whose context
// does not hold, are not entered.
#pragma once

#include "sourir/bisim/lockstep.h"

namespace sourir {

struct VersionsVerdict {
  LockstepVerdict verdict;       // the sum; Different: of the first difference
  std::uint64_t functions = 0;   // with several versions that calls may enter
  std::uint64_t entries = 0;     // calls of real runs that entered another version, one a run
  std::uint64_t generated = 0;   // calls with generated arguments, a version each
  std::uint64_t without_end = 0; // of them: came to a limit, inconclusive
  // Of a difference with generated arguments: the program with the main that shows it.
  std::optional<Program> driver;
};

// `only`: this function alone; empty: all. With schedules in the options, only these.
VersionsVerdict check_versions(const Program& program, std::optional<FunName> only,
                               const std::vector<std::vector<Value>>& reads,
                               LockstepOptions options, Names& names);

// check_lockstep() with calls of each function that the output has changed, with generated
// arguments: a pass must be right for every state in which a version can be entered
// (docs/soundness.md, "Open world"). A call that does not end within 10,000 steps, or with a wrong
// exit of the input itself, counts as skipped. `calls`: of a function; `reads`: for a run of the
// input, whose calls give likely arguments.
LockstepVerdict check_entries(const Program& input, const Program& output, const StateMap& map,
                              const std::vector<Value>& reads, const LockstepOptions& options,
                              Names& names, std::uint64_t calls = 24);

} // namespace sourir
