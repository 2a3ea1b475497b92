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
  // Whether the case has taken more seconds than that: of processor time, or of wall-clock time
  // while no thread of the process, or of one that it began, can run.
  bool over(const Process& process, std::uint64_t seconds) const;

private:
  std::atomic<std::int64_t> since_{0}; // the steady clock's count
  std::atomic<std::int64_t> processor_{
      0}; // nanoseconds that the process and its children had by then
};

} // namespace sourir
