#include "native/runtime/sampled_codes.h"

#include <sys/mman.h>

#include <new>

namespace sourir::native {

namespace {

#ifdef MAP_32BIT
constexpr int kLow = MAP_32BIT;
#else
constexpr int kLow = 0;
#endif

// Pages below 2 GiB where there are any: code then polls a record without a register for its
// address.
void* map_low(std::size_t bytes) {
  for (const int low : {kLow, 0}) {
    void* at =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | low, -1, 0);
    if (at != MAP_FAILED) return at;
  }
  throw std::bad_alloc();
}

struct Unmap {
  void operator()(profiler::SampledCode* code) const {
    code->~SampledCode();
    munmap(code, sizeof *code);
  }
};

std::shared_ptr<profiler::SampledCode> low_record(std::uint32_t number, std::string label) {
  void* at = map_low(sizeof(profiler::SampledCode));
  return {new (at) profiler::SampledCode(number, std::move(label)), Unmap()};
}

} // namespace

profiler::SampledCode& SampledCodes::make(const std::string& version) {
  const std::lock_guard lock(mutex_);
  const std::uint32_t number = ++numbers_[version];
  codes_.push_back(low_record(static_cast<std::uint32_t>(codes_.size()),
                              version + "#" + std::to_string(number)));
  return *codes_.back();
}

void SampledCodes::publish(profiler::SampledCode& code) {
  table_.add(code, code.begin, code.size);
  {
    const std::lock_guard lock(mutex_);
    published_[code.name] = &code;
  }
  if (on_publish_) on_publish_();
}

void SampledCodes::add_instrumented(profiler::SampledCode& sampled, const NativeCode& code) {
  table_.add(sampled, code.begin, code.size);
  sampled.instrumented.store(code.entry, std::memory_order_release);
}

void SampledCodes::remove(const profiler::SampledCode& code) { table_.remove(code); }

SampledCodes::Records SampledCodes::all() const {
  const std::lock_guard lock(mutex_);
  Records records;
  for (const auto& code : codes_) {
    records.names.push_back(code->name);
    if (published_.contains(code->name))
      records.published.push_back(code);
    else
      records.unpublished.push_back(code->name);
  }
  return records;
}

profiler::SampledCode* SampledCodes::published(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto at = published_.find(name);
  return at == published_.end() ? nullptr : at->second;
}

} // namespace sourir::native
