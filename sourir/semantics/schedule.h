// Schedules of forced exits: the exits that are taken although they need not be, at assumes whose
// guards hold and at anchors. One text form for runs, checks and replays:
//   never | always | every:K | p:P:SEED | calls | at:LIST | each | pairs | enter:...
// LIST holds numbers of opportunities (from 1) and places F.V.L; `calls`: the first opportunity
// after each call that returned. `each` and `pairs` stand for many runs; checks expand them.
// enter:any:SEED, enter:F.V and enter:K:V choose the version that a call enters instead of the
// active one, where its context holds: any, V whenever F is called, V at call K (0: the start of
// main). map:at:LIST, map:every:K, map:p:P:SEED and map:each deoptimize at any position of a state
// map, to the program that the map leads to. Steps are counted (from 1): from the chosen one on,
// the first such position. Each is a run of its own.
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

  bool enters() const { return mode >= Mode::EnterAny; }
  // Which of `count` versions that may be entered call number `call` (from 1) enters (EnterAny).
  std::size_t chosen(std::uint64_t call, std::size_t count) const;
  // Whether to deoptimize at opportunity `number` (from 1).
  bool forces_exit(std::uint64_t number, bool returned, const ResolvedVersion* code,
                   std::uint32_t pc) const;
};

// The schedule, or what is wrong with the text.
Result<Schedule> parse_schedule(std::string_view text, Names& names);

class LinkedProgram;
// Finds the places of an `at` list; the error names the one that does not exist.
Result<> resolve(Schedule& schedule, const LinkedProgram& program);

} // namespace sourir
