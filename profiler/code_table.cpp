#include "profiler/code_table.h"

namespace sourir::profiler {

bool CodeTable::add(SampledCode& code) {
  for (std::size_t i = 0; i < kMost; ++i) {
    Entry& entry = entries_[i];
    if (entry.begin.load(std::memory_order_acquire) != 0) continue;
    entry.end.store(code.begin + code.size, std::memory_order_relaxed);
    entry.code.store(&code, std::memory_order_relaxed);
    entry.begin.store(code.begin, std::memory_order_release);
    if (i >= used_.load(std::memory_order_relaxed)) used_.store(i + 1, std::memory_order_release);
    return true;
  }
  return false;
}

void CodeTable::remove(const SampledCode& code) {
  for (std::size_t i = 0; i < used_.load(std::memory_order_acquire); ++i)
    if (entries_[i].code.load(std::memory_order_relaxed) == &code)
      entries_[i].begin.store(0, std::memory_order_release);
}

SampledCode* CodeTable::find(std::uint64_t address) const {
  const std::size_t used = used_.load(std::memory_order_acquire);
  for (std::size_t i = 0; i < used; ++i) {
    const Entry& entry = entries_[i];
    const std::uint64_t begin = entry.begin.load(std::memory_order_acquire);
    if (begin != 0 && address >= begin && address < entry.end.load(std::memory_order_relaxed))
      return entry.code.load(std::memory_order_relaxed);
  }
  return nullptr;
}

} // namespace sourir::profiler
