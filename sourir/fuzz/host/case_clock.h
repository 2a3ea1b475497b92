// How long the process of a case is at it: a case that does not come back is a finding, one whose
// process waits for its turn on a busy machine is not.
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
  // The case has had so many seconds: of the processor, or of the time that passes unless some
  // thread of the process, or of one that it began, could run and only waits for a processor.
  bool over(const Process& process, std::uint64_t seconds) const;

private:
  std::atomic<std::int64_t> since_{0};     // the steady clock's count
  std::atomic<std::int64_t> processor_{0}; // nanoseconds that the process had by then
};

} // namespace sourir
