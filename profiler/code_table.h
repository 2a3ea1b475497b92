// From machine code addresses to code objects, for a signal handler. Entries are added by one
// thread at a time, any of them, and removed by the thread that the handler interrupts: the handler
// never finds code that is being freed.
#pragma once

#include "profiler/sampled_code.h"

namespace sourir::profiler {

class CodeTable {
public:
  static constexpr std::size_t kMost = 4096; // further code objects are not sampled

  // False: the table is full. Precondition: begin and size are set.
  bool add(SampledCode& code);
  void remove(const SampledCode& code);
  // The code object of the address, or null. Async-signal-safe.
  SampledCode* find(std::uint64_t address) const;

private:
  struct Entry {
    std::atomic<std::uint64_t> begin{0}, end{0}; // begin 0: free
    std::atomic<SampledCode*> code{nullptr};
  };
  std::unique_ptr<Entry[]> entries_ = std::make_unique<Entry[]>(kMost);
  std::atomic<std::size_t> used_{0}; // entries from here on were never in use
};

} // namespace sourir::profiler
