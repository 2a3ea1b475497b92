// Which code an address belongs to, for a signal handler: entries are added by any one thread at a
// time, and taken out by the thread that the handler interrupts, so that it never meets code that
// is being freed.
#pragma once

#include "profiler/sampled_code.h"

namespace sourir::profiler {

class CodeTable {
public:
  static constexpr std::size_t kMost = 4096; // what is more is not sampled

  // Its addresses are known.
  bool add(SampledCode& code);
  void remove(const SampledCode& code);
  // Async-signal-safe; null: none.
  SampledCode* find(std::uint64_t address) const;

private:
  struct Entry {
    std::atomic<std::uint64_t> begin{0}, end{0}; // begin 0: free
    std::atomic<SampledCode*> code{nullptr};
  };
  std::unique_ptr<Entry[]> entries_ = std::make_unique<Entry[]>(kMost);
  std::atomic<std::size_t> used_{0}; // entries behind it have never been
};

} // namespace sourir::profiler
