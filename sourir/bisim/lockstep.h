// Whether a program made by a pass behaves like the pass's input (docs/checking.md says what is
// compared): the output runs under schedules of forced exits, event by event beside the input, and
// wherever it stands for a state of the input through the state map, the input must pass through
// that state between the same two events.
#pragma once

#include "sourir/bisim/counterexample.h"
#include "sourir/bisim/oracle.h"
#include "sourir/semantics/value.h"
#include "sourir/syntax/state_map.h"

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace sourir {

struct LockstepOptions {
  std::uint64_t fuel = 100'000;       // steps of a run
  std::uint64_t all_fuel = 5'000'000; // of all runs together: no more schedules when it is used up
  std::uint64_t depth = 100'000;      // nested calls
  std::uint32_t schedules = 16;       // runs with one forced exit each, at most
  bool every_place = false;           // more of them where there are more places of exits
  std::uint32_t mapped_exits = 16;    // runs that continue in the input at a mapped position
  std::uint32_t all_states = 256;     // states of a run that are compared before some are skipped
  std::uint64_t seed = 1;
  // An oracle that is switched off reports nothing, and the run continues.
  OracleSet oracles = OracleSet::all();
  // Schedules of the output, `each`, `pairs` and `map:...` among them; one without exits goes first
  // in any case. Empty: all exits, each alone (`schedules` of them), some at random, and
  // `mapped_exits`.
  std::vector<std::string> deopt = {};
  // A further run that watches all guards that may be watched, where there are any; also where
  // `deopt` is empty.
  bool watches = false;
  bool events_only = false;                // there is no map
  std::optional<Oracle> as = std::nullopt; // what differing events under a schedule count as
  std::string input_name = "the input", output_name = "the output";
  const std::atomic<bool>* interrupt = nullptr; // no more runs when it is set
};

enum class Agreement : std::uint8_t { Equivalent, Different, Inconclusive }; // on what was tried

struct LockstepVerdict {
  Agreement agreement = Agreement::Equivalent;
  Oracle oracle = Oracle::Events; // Different: the one that reports it
  // Different: a name that counterexamples of probably the same bug share. Inconclusive: name_of()
  // of the limit that a run reached; empty: the checker failed.
  std::string kind;
  std::string report; // for people: what differs, where, both states, how to repeat it
  // Different: the input alone does the same when it deoptimizes where the output did. Its own
  // exits are wrong, not the pass.
  bool input_at_fault = false;
  std::optional<Counterexample> counterexample; // Different
  bool checker_failed =
      false;                // exits that were to be forced were not, or a side differs from itself
  bool interrupted = false; // not all was tried
  // What was asked for and was not done, a line each: schedules given in the options that changed
  // no run, opportunities and places of them that no run came to, runs of them for which the steps
  // of all runs did not suffice.
  std::vector<std::string> unmet;
  std::uint64_t runs = 0, steps = 0;
  std::uint64_t events = 0;        // compared
  std::uint64_t states = 0;        // compared through the map
  std::uint64_t opportunities = 0; // exits that could be forced, in the runs that force none
  std::uint64_t forced = 0;        // exits forced
  // Places in the output where an exit can be forced; those that runs came to; and those of them
  // where they forced one.
  std::uint64_t exit_places = 0, reached_places = 0, forced_places = 0;
  std::uint64_t exits = 0;        // exits that were compared with the input's own at that place
  std::uint64_t moved_exits = 0;  // of these, like one at another place that the input passes
  std::uint64_t mapped_exits = 0; // positions at which a run continued in the input
  std::uint64_t not_mapped = 0;   // states of which the map holds nothing, or not all
  std::uint64_t watched = 0;      // guards that were watched, each time that they had to be tested
  std::uint64_t invalidated = 0;  // exits at invalidation points
  std::uint64_t entered = 0;      // calls that a schedule sent into another version
  // The versions concerned (version_key()): those entered, and those that it was in place of. Of
  // runs that came to no limit.
  std::set<std::uint64_t> entered_versions;
  std::uint64_t skipped = 0;      // runs ended by a forced exit that fails or leads nowhere
  std::uint64_t inconclusive = 0; // runs that came to a limit

  // Whether something was compared, and all that was asked for was done. If not, "equivalent" says
  // nothing.
  bool vacuous() const { return !unmet.empty() || events == 0; }

  // Counts and unmet requests add up; the outcome is that of the worse one, of the first where both
  // are bad.
  void add(LockstepVerdict one);
};

// `reads`: inputs, one list for each set of runs. Both programs must be well-formed.
LockstepVerdict check_lockstep(const Program& input, const Program& output, const StateMap& map,
                               const std::vector<std::vector<Value>>& reads,
                               const LockstepOptions& options, Names& names);

} // namespace sourir
