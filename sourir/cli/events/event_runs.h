// Runs of a program by `profile --events`, each a process: what they count, and their processor
// time without counting. Threads: one.
#pragma once

#include "profiler/event_profile.h"

#include <tl/expected.hpp>

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace sourir {

// A way to compile a program.
struct EventWay {
  std::string name;               // "A"; "": there is one only
  std::vector<std::string> flags; // of the tiers
};

struct EventRunSettings {
  std::string events;                // as the flag has it
  std::vector<std::string> counting; // further flags of runs that count
  std::string engine, input;         // `input`: a file; empty: the program reads nothing
  std::vector<std::string> flags;    // of the tiers, for all ways
  std::uint64_t iterations = 5;      // processes that count, and as many that are timed
};

// A program, compiled in one way.
struct MeasuredProgram {
  std::string program;
  std::string output; // the digest of what each run prints
  std::vector<profiler::EventCounts> runs;
  std::vector<double> seconds; // of the processors, of runs that count nothing
};

struct RunProblem {
  int status = 0;      // the exit status of the command
  std::string message; // empty: Ctrl-C
};

// For each way the program, in turns, so that a slow phase of the machine affects all ways. All
// runs must print the same and end in the same way.
tl::expected<std::vector<MeasuredProgram>, RunProblem>
measure_events(const EventRunSettings& settings, std::span<const EventWay> ways,
               const std::string& program);

} // namespace sourir
