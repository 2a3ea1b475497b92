#include "profiler/sampled_code.h"

#include <algorithm>
#include <map>

namespace sourir::profiler {

namespace {

constexpr auto kRelaxed = std::memory_order_relaxed;

// Entries of instrumented code for one hit: its safepoints may lie in different activations.
constexpr std::uint32_t kEntriesAHit = 4;
// Of recursive code: the activations next to a leaf are leaves.
constexpr std::uint32_t kRecursiveEntriesAHit = 64;
// Of code with short activations, which report at the last one, or at the first one after so many
// nanoseconds.
constexpr std::uint32_t kShortEntriesAHit = 8;
constexpr std::uint64_t kLongestEntries = 100'000;
// After this many hits without an entry a running loop is left, though its rest may run in the
// baseline until the code is entered again.
constexpr std::uint32_t kMostUnanswered = 16;
// Instrumented code is entered while it has taken at most so many nanoseconds, or periods without a
// clock, and a part of the time of the code object. Code that was compiled in a hurry is up to
// ten times as slow, other instrumented code up to a fifth slower.
constexpr std::uint64_t kPeriodsAtFirst = 32, kNanosecondsAtFirst = 80'000'000, kPart = 4;
constexpr std::uint64_t kSlowWeight = 8;
// Code whose samples agree with its feedback rests for as many hits as it has had, times T2 at
// most.
constexpr std::uint64_t kMostRest = 4;
constexpr std::uint64_t kSoon = 100'000; // ns
constexpr std::uint64_t kHitsInVain = 8; // times T1: code that reports nothing by then will not

using Count = std::atomic_ref<std::uint32_t>;

std::uint32_t value(const std::uint32_t& n) {
  return Count(const_cast<std::uint32_t&>(n)).load(kRelaxed);
}

// Only the thread of the program and its signal handler add.
void add(std::atomic<std::uint64_t>& sum, std::uint64_t n) {
  sum.store(sum.load(kRelaxed) + n, kRelaxed);
}

void clear(SampledPosition& position) {
  for (std::uint32_t& n : position.counts) Count(n).store(0, kRelaxed);
  Count(position.taken).store(0, kRelaxed);
}

// Only the thread of the program counts; other threads read.
void add_one(std::uint32_t& n) {
  if (value(n) != ~std::uint32_t{0}) Count(n).store(value(n) + 1, kRelaxed);
}

TypeSet types_of(std::uint8_t reported) { return TypeSet::from_bits(reported & (kElements - 1U)); }

std::string text_of(TypeSet types, bool elements) {
  std::string out;
  for (std::size_t type = 0; type < kTypes; ++type)
    if (const auto kind = static_cast<Kind>(type); types.has(kind))
      out.append(out.empty() ? "" : "|").append(type_name(kind, elements));
  return out.empty() ? "?" : out;
}

} // namespace

bool SampledPosition::takes(std::uint8_t reported) const {
  return !types_of(reported).empty() && ((reported & kElements) != 0) == elements;
}

void SampledPosition::count(std::uint8_t reported) {
  if (!takes(reported)) return;
  const TypeSet types = types_of(reported);
  add_one(taken);
  for (std::size_t type = 0; type < kTypes; ++type)
    if (types.has(static_cast<Kind>(type))) add_one(counts[type]);
}

std::uint32_t SampledPosition::samples() const { return value(taken); }

TypeSet SampledPosition::sampled() const {
  TypeSet set;
  for (std::size_t type = 0; type < kTypes; ++type)
    if (value(counts[type]) != 0) set |= static_cast<Kind>(type);
  return set;
}

bool SampledPosition::is_useful() const {
  const TypeSet found = sampled();
  const bool has_feedback = used != kAnyType; // else a recompilation would not know of the samples
  return has_feedback && found.single() && found != used &&
         !(elements && found == TypeSet(Kind::Nil));
}

std::string SampledPosition::text(TypeSet types) const { return text_of(types, elements); }

std::string name_of_reported(std::uint8_t word) {
  return text_of(types_of(word), (word & kElements) != 0);
}

std::optional<std::uint8_t> reported_word(std::string_view name) {
  static const auto kWords = [] {
    std::map<std::string, std::uint8_t, std::less<>> words;
    for (unsigned word = 1; word <= 0xFF; ++word)
      words.emplace(name_of_reported(static_cast<std::uint8_t>(word)), word);
    words.erase("?");
    return words;
  }();
  const auto found = kWords.find(name);
  return found == kWords.end() ? std::nullopt : std::optional(found->second);
}

SampledCode::SampledCode(std::uint32_t number, std::string label)
    : id(number), name(std::move(label)) {}

void SampledCode::record_hit(const Hit& hit) {
  hits.store(hits.load(kRelaxed) + 1, kRelaxed);
  if (slots.empty()) return;
  add(time_, hit.period);
  if (!is_hot() || rests()) return;
  unsampled_.store(~std::uint64_t{0} >> (kMostSlots - slots.size()), kRelaxed);
  first_entry_.store(0, kRelaxed); // it has been left by an exit, or the period is counted
  if (hit.in_instrumented) add(instrumented_time_, hit.period);
  if (!may_be_entered(hit)) { // what runs now may still report
    end_entries();
    const bool leave = hit.in_instrumented && instrumented_is_slow;
    request.fetch_or(kRequestedAnywhere | (leave ? kLeaveSlow : 0), kRelaxed);
    return;
  }
  entries_.store(is_recursive  ? kRecursiveEntriesAHit
                 : keeps_types ? kShortEntriesAHit
                               : kEntriesAHit,
                 kRelaxed);
  const std::uint32_t unanswered = unanswered_.load(kRelaxed) + 1;
  unanswered_.store(unanswered, kRelaxed);
  if (unanswered == 1) first_unanswered_.store(hit.now, kRelaxed);
  void* const code = instrumented.load(std::memory_order_acquire);
  if (code != nullptr || !asked_for_instrumented) exchange_entry(entry, code);
  const bool leave = leaves_loops && !is_instrumented() && unanswered >= kMostUnanswered;
  const std::uint32_t later = reports_at_last_entry() ? kRequestedAtReturn : 0;
  request.fetch_or((kRequestedAnywhere & ~later) | (leave ? kLeaveLoop : 0), kRelaxed);
}

bool SampledCode::rests() const { return hits.load(kRelaxed) < rests_until_.load(kRelaxed); }

bool SampledCode::is_hot() const {
  constexpr std::uint32_t kFewest = 4; // one period may be long
  const std::uint64_t seen = hits.load(kRelaxed);
  return seen >= hits_until_instrumented ||
         (seen >= kFewest && time_.load(kRelaxed) >= hits_until_instrumented * period);
}

bool SampledCode::may_be_entered(const Hit& hit) const {
  const std::uint64_t at_first = hit.now == 0 ? kPeriodsAtFirst : kNanosecondsAtFirst;
  const std::uint64_t weight = instrumented_is_slow ? kSlowWeight : 1;
  return weight * instrumented_time_.load(kRelaxed) <= at_first + time_.load(kRelaxed) / kPart;
}

void SampledCode::end_entries() {
  entries_.store(0, kRelaxed);
  exchange_entry(instrumented.load(kRelaxed), entry); // also where it was entered by a poll
}

bool SampledCode::is_entered_soon(std::uint64_t now) const {
  const std::uint64_t hit = first_unanswered_.load(kRelaxed);
  return hit == 0 || now - hit <= kSoon;
}

void* SampledCode::instrumented_to_enter() {
  if ((request.load(kRelaxed) & kRequestedAnywhere) == 0) return nullptr;
  void* const code = instrumented.load(std::memory_order_acquire);
  if (code != nullptr && entries_.load(kRelaxed) != 0) return code;
  withdraw_request();
  return nullptr;
}

void SampledCode::begin_instrumented(std::uint64_t now) {
  unanswered_.store(0, kRelaxed);
  if (first_entry_.load(kRelaxed) == 0) first_entry_.store(now, kRelaxed);
  request.fetch_and(~kLeaveSlow, kRelaxed); // of an earlier activation
  request.fetch_or(kLeaveLoop, kRelaxed);
  const std::uint32_t left = entries_.load(kRelaxed);
  if (left == kShortEntriesAHit) entered_first_.store(now, kRelaxed);
  const bool last = left <= 1 || now - entered_first_.load(kRelaxed) > kLongestEntries;
  if (last && reports_at_last_entry()) request.fetch_or(kRequestedAtReturn, kRelaxed);
  if (left > 1) return entries_.store(left - 1, kRelaxed);
  end_entries();
}

// Unless the word has other code by now.
void SampledCode::exchange_entry(void* from, void* to) {
  std::atomic<void*>* const word = calls.load(std::memory_order_acquire);
  if (word == nullptr) return;
  const bool done = word->compare_exchange_strong(from, to, std::memory_order_acq_rel);
  if (done && to == nullptr) std::atomic_ref<std::uint64_t>(*asked_at).store(0, kRelaxed);
}

bool SampledCode::leaves_loop(bool to_entry) {
  const bool requested = (request.load(kRelaxed) & kRequestedAnywhere) != 0;
  if (!requested || instrumented.load(kRelaxed) == nullptr || entries_.load(kRelaxed) == 0) {
    withdraw_request();
    return false;
  }
  if (!to_entry && unanswered_.load(kRelaxed) < kMostUnanswered) {
    request.fetch_and(~kLeaveLoop, kRelaxed);
    return false;
  }
  unanswered_.store(0, kRelaxed);
  return true;
}

bool SampledCode::leaves_instrumented(std::uint64_t now) {
  const std::uint64_t entered = first_entry_.exchange(0, kRelaxed);
  if (entered != 0 && now > entered) add(instrumented_time_, now - entered);
  return (request.fetch_and(~kLeaveLoop, kRelaxed) & kLeaveLoop) != 0;
}

bool SampledCode::leaves_slow() {
  return (request.fetch_and(~kLeaveSlow, kRelaxed) & kLeaveSlow) != 0;
}

void SampledCode::withdraw_request() {
  request.fetch_and(~(kRequestedAnywhere | kLeaveLoop), kRelaxed);
}

bool SampledCode::begins_sample(std::uint32_t bits) {
  return (request.fetch_and(~bits, kRelaxed) & bits) != 0 && unsampled_.load(kRelaxed) != 0;
}

bool SampledCode::receive(const std::uint64_t* words, std::array<std::uint8_t, kMostSlots>& types) {
  const std::uint64_t given = unsampled_.load(kRelaxed);
  std::uint64_t done = 0;
  for (std::size_t i = 0; i < slots.size(); ++i) {
    types[i] = 0;
    const auto word = static_cast<std::uint8_t>(words[i]);
    if ((given >> i & 1) == 0 || types_of(word).empty()) continue;
    types[i] = word;
    done |= std::uint64_t{1} << i;
  }
  if ((unsampled_.fetch_and(~done, kRelaxed) & ~done) == 0 && !is_instrumented()) end_entries();
  return done != 0;
}

void SampledCode::count(std::span<const std::uint8_t> types) {
  std::array<std::uint8_t, kMostSlots> reported{}; // by position
  for (std::size_t i = 0; i < slots.size() && i < types.size(); ++i)
    if (slots[i] != kNoPosition && positions[slots[i]].takes(types[i]))
      reported[slots[i]] |= types[i];
  for (std::size_t p = 0; p < positions.size(); ++p) positions[p].count(reported[p]);
}

bool SampledCode::is_stale(const Thresholds& thresholds) const {
  std::size_t ready = 0, all = 0;
  bool differs = false;
  for (const std::uint16_t slot : slots) {
    if (slot == kNoPosition) continue;
    const SampledPosition& p = positions[slot];
    if (!p.elements) ++all;
    if (p.samples() < min_samples(thresholds)) continue;
    if (!p.elements) ++ready;
    differs = differs || p.is_useful();
  }
  return differs && 2 * ready >= all;
}

bool SampledCode::is_open(const Thresholds& thresholds) const {
  if (handled.load(kRelaxed) || rests()) return false;
  const std::uint32_t enough = min_samples(thresholds);
  std::size_t open = 0;
  std::uint32_t most = 0;
  for (const SampledPosition& p : positions) {
    const std::uint32_t n = p.samples();
    if (n < enough) ++open;
    most = std::max(most, n);
  }
  const bool in_vain = most == 0 && hits.load(kRelaxed) > kHitsInVain * enough;
  return 2 * open > positions.size() && most < 2 * enough && !in_vain;
}

bool SampledCode::judge(const Thresholds& thresholds) {
  if (is_stale(thresholds)) return true;
  const std::uint32_t most = max_samples(thresholds);
  for (SampledPosition& p : positions)
    if (p.samples() > most) {
      clear(p);
      ++p.cleared;
      const std::uint64_t so_far = hits.load(kRelaxed);
      if (!is_instrumented())
        rests_until_.store(so_far + std::min<std::uint64_t>(so_far, kMostRest * most), kRelaxed);
    }
  return false;
}

void SampledCode::restart_sampling(std::uint32_t failed) {
  failed_recompilations = failed;
  rests_until_.store(0, kRelaxed);
  for (SampledPosition& p : positions) clear(p);
  handled.store(false);
  request.fetch_and(~(kBailOut | kPollRuntime | kLeaveLoop | kLeaveSlow));
}

Staleness SampledCode::staleness(const Thresholds& thresholds) const {
  Staleness worst = Staleness::Unknown;
  for (const SampledPosition& p : positions) {
    if (p.samples() < min_samples(thresholds)) continue;
    const TypeSet sampled = p.sampled();
    const Staleness here = sampled == p.used        ? Staleness::Current
                           : sampled.within(p.used) ? Staleness::Narrower
                                                    : Staleness::Changed;
    worst = std::max(worst, here);
  }
  return worst;
}

const char* name_of(Staleness staleness) {
  switch (staleness) {
  case Staleness::Unknown: return "unknown";
  case Staleness::Current: return "current";
  case Staleness::Narrower: return "narrower";
  case Staleness::Changed: return "changed";
  }
  return "";
}

bool CodeTable::add(SampledCode& code, std::uint64_t begin, std::uint64_t size) {
  for (std::size_t i = 0; i < kMost; ++i) {
    Entry& entry = entries_[i];
    if (entry.begin.load(std::memory_order_acquire) != 0) continue;
    entry.end.store(begin + size, std::memory_order_relaxed);
    entry.code.store(&code, std::memory_order_relaxed);
    entry.begin.store(begin, std::memory_order_release);
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
