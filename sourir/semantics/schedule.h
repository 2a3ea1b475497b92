// Schedules of forced exits: which exits are taken that need not be, at an assume whose guards hold
// or at an anchor; and of watched guards. One text form for runs, checks and replays:
//   never | always | every:K | p:P:SEED | calls | at:LIST | each | pairs | enter:... | map:...
// and, appended to any of them except map:, or alone,
//   /watch:always | /watch:never | /watch:at:LIST
// LIST holds numbers of opportunities (from 1) and places F.V.L; `calls`: the first opportunity
// after each call that returned. `each` and `pairs` are expanded to many runs by checks.
// enter:any:SEED, enter:F.V and enter:K:V name the version that a call enters instead of the active
// one, where its context holds: any, V whenever F is called, V at call K (0: the start of main).
// map:at:LIST, map:every:K, map:p:P:SEED and map:each exit at mapped positions of a state map, into
// the program that it maps to: their numbers are steps (from 1), and the exit is at the first
// mapped position from the chosen step on. Each exit starts a run of its own; the execution
// continues without it.
// watch:always watches all guards that may be watched (watch_plan.h); watch:at:LIST those of the
// assumes at these places.
#pragma once

#include "sourir/syntax/metadata.h"
#include "sourir/syntax/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sourir {

class ResolvedVersion;

struct WatchSchedule {
  bool all = false;
  std::vector<Place> places;                                               // if not all
  std::vector<std::pair<const ResolvedVersion*, std::uint32_t>> positions; // set by resolve()

  bool any() const { return all || !places.empty(); }
};

struct Schedule {
  enum class Mode : std::uint8_t {
    Never,
    Always,
    Every,
    Random,
    Calls,
    At,
    Each,
    Pairs,
    EnterAny,
    EnterVersion,
    EnterAt
  };
  Mode mode = Mode::Never;
  bool mapped = false; // map:...
  std::uint64_t every = 1;
  double probability = 0;
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> numbers; // sorted
  std::vector<Place> places;          // resolved to a position of `code` by resolve()
  std::vector<std::pair<const ResolvedVersion*, std::uint32_t>> positions; // sorted

  std::uint64_t call = 0; // EnterAt
  FunName function;       // EnterVersion
  VerName version;        // EnterVersion, EnterAt

  WatchSchedule watch;

  bool enters() const { return mode >= Mode::EnterAny; }
  // The index, below `count`, of the version that call number `call` enters (EnterAny).
  std::size_t chosen(std::uint64_t call, std::size_t count) const;
  // Whether the exit at opportunity (map:... step) `number`, from 1, is taken.
  bool forces_exit(std::uint64_t number, bool returned, const ResolvedVersion* code,
                   std::uint32_t pc) const;
  // A later number, by 4,096 at most: no exit is taken at those between, wherever they are.
  std::uint64_t next_possible(std::uint64_t number) const;
};

// The schedule, or what is wrong with the text.
Result<Schedule> parse_schedule(std::string_view text, Names& names);
// Parses what follows `watch:` in a schedule.
Result<WatchSchedule> parse_watch(std::string_view text, Names& names);
// "calls", "/watch:always" of "calls/watch:always": a part may be empty.
std::pair<std::string_view, std::string_view> split_watch(std::string_view text);

class LinkedProgram;
// Finds the places of an `at` list and the version of enter:F.V, and those of the watched guards;
// the error names the missing one, or says why a guard may not be watched.
Result<> resolve(Schedule& schedule, const LinkedProgram& program);
Result<> resolve(WatchSchedule& watch, const LinkedProgram& program);

} // namespace sourir
