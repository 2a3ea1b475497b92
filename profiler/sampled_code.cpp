#include "profiler/sampled_code.h"

namespace sourir::profiler {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

using Count = std::atomic_ref<std::uint32_t>;

std::uint32_t value(const std::uint32_t& n) {
  return Count(const_cast<std::uint32_t&>(n)).load(kRelaxed);
}

void clear(SampledPosition& position) {
  for (std::uint32_t& n : position.counts) Count(n).store(0, kRelaxed);
}

// Only the thread of the program counts.
void add_one(std::uint32_t& n) {
  if (value(n) != ~std::uint32_t{0}) Count(n).store(value(n) + 1, kRelaxed);
}

} // namespace

std::uint32_t SampledPosition::samples() const {
  std::uint32_t sum = 0;
  for (const std::uint32_t& n : counts) sum += value(n);
  return sum;
}

TypeSet SampledPosition::seen() const {
  TypeSet set;
  for (std::size_t type = 0; type < kTypes; ++type)
    if (value(counts[type]) != 0) set |= static_cast<Kind>(type);
  return set;
}

bool worth_it(TypeSet seen, TypeSet used) { return seen.single() && seen != used; }

SampledCode::SampledCode(std::uint32_t number, std::string label)
    : id(number), name(std::move(label)) {}

void SampledCode::found() {
  hits.store(hits.load(kRelaxed) + 1, kRelaxed);
  if (slots.empty()) return;
  unsampled_.store(~std::uint64_t{0}, kRelaxed);
  request.fetch_or(kWantedAnywhere, kRelaxed);
}

bool SampledCode::answered(const std::uint64_t* words, std::uint64_t given, std::uint32_t bits,
                           std::array<std::uint8_t, kMostSlots>& kinds) {
  request.fetch_and(~bits, kRelaxed);
  given &= unsampled_.load(kRelaxed);
  std::uint64_t done = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    kinds[i] = 0;
    if ((given >> i & 1) == 0 || words[i] >= kTypes) continue;
    kinds[i] = static_cast<std::uint8_t>(kPresent | words[i]);
    done |= std::uint64_t{1} << i;
  }
  unsampled_.fetch_and(~done, kRelaxed);
  return done != 0;
}

void SampledCode::count(std::span<const std::uint8_t> kinds) {
  for (std::size_t i = 0; i < slots.size() && i < kinds.size(); ++i)
    if (slots[i] != kNoPosition && kinds[i] >= kPresent && kinds[i] < kPresent + kTypes)
      add_one(positions[slots[i]].counts[kinds[i] - kPresent]);
}

bool SampledCode::ready(const Thresholds& thresholds) const {
  std::size_t ready = 0, all = 0;
  bool differs = false;
  for (const std::uint16_t slot : slots) {
    if (slot == kNoPosition) continue;
    ++all;
    const SampledPosition& p = positions[slot];
    if (p.samples() < enough(thresholds)) continue;
    ++ready;
    differs = differs || worth_it(p.seen(), p.used);
  }
  return differs && 2 * ready >= all;
}

bool SampledCode::judge(const Thresholds& thresholds) {
  if (ready(thresholds)) return true;
  for (SampledPosition& p : positions)
    if (p.samples() > polluted(thresholds)) {
      clear(p);
      ++p.cleared;
    }
  return false;
}

void SampledCode::begin_again(std::uint32_t disappointed) {
  disappointments = disappointed;
  for (SampledPosition& p : positions) clear(p);
  settled.store(false);
  request.fetch_and(~(kLeave | kLook));
}

Staleness SampledCode::staleness(const Thresholds& thresholds) const {
  Staleness worst = Staleness::Unknown;
  for (const SampledPosition& p : positions) {
    if (p.samples() < enough(thresholds)) continue;
    const TypeSet seen = p.seen();
    const Staleness here = seen == p.used        ? Staleness::Current
                           : seen.within(p.used) ? Staleness::Narrower
                                                 : Staleness::Changed;
    worst = std::max(worst, here);
  }
  return worst;
}

std::string kinds_text(TypeSet kinds) { return text_of(kinds, "?"); }

const char* name_of(Staleness staleness) {
  switch (staleness) {
  case Staleness::Unknown: return "unknown";
  case Staleness::Current: return "current";
  case Staleness::Narrower: return "narrower";
  case Staleness::Changed: return "changed";
  }
  return "";
}

} // namespace sourir::profiler
