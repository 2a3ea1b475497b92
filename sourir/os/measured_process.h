// A program run to its end with a clock beside it: what it printed, how it ended, what it used.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sourir {

struct MeasuredProcess {
  enum class End : std::uint8_t { Exited, Killed, OutOfTime, Interrupted, NotStarted };

  End end = End::NotStarted;
  int status = 0;             // Exited: the exit status; Killed: the signal; NotStarted: errno
  std::string output, errors; // what it wrote, cut after 1 MiB and 4 KiB
  double wall = 0, cpu = 0;   // seconds; cpu is user and system time
  std::uint64_t memory = 0;   // the most bytes that were resident

  bool fine() const { return end == End::Exited && status == 0; }
  // "exited with 67: ..." with the first line of what it wrote to standard error.
  std::string how_it_ended() const;
};

// `words` are the program, by path or found in PATH, and its arguments; `input`, a page at most,
// is its standard input. It is killed after the seconds, or on Ctrl-C (which reaches it as well).
MeasuredProcess run_measured(const std::vector<std::string>& words, const std::string& input,
                             double seconds);

} // namespace sourir
