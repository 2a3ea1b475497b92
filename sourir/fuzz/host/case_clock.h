// The time that a case takes: a case that hangs is a finding, one whose process waits for a
// processor on a busy machine is not.
#pragma once

#include "sourir/os/process.h"

#include <atomic>
#include <cstdint>

namespace sourir {

// In memory that is shared with the process.
class CaseClock {
public:
  void begin_process(); // before there is one
  void begin_case();    // in the process
  // Whether the case has taken more seconds than that: of processor time, or of wall-clock time in
  // which the process was always asleep. Time in which it, or the process that asks, is stopped
  // (Ctrl-Z) does not count. For the owner of the process, which asks several times a second.
  bool over(const Process& process, std::uint64_t seconds);

private:
  std::atomic<std::int64_t> since_{0};     // of the case: nanoseconds of the steady clock
  std::atomic<std::int64_t> processor_{0}; // nanoseconds that the process and its children had then
  // The owner's, nanoseconds of the steady clock.
  std::int64_t asked_ = 0;        // when it asked last
  std::int64_t asleep_since_ = 0; // each time that it has asked since then
};

} // namespace sourir
