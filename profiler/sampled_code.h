// Samples of one code object (docs/profiler.md; Wälchli's thesis, 4.2 and 4.3). A sample slot is a
// value whose type the code does not know statically. A signal that interrupts the code requests a
// sample; at its next safepoint (a back edge or a return) the code reports the types of its slots.
// All memory is allocated before the code first runs: a signal handler only counts and requests.
#pragma once

#include "sourir/syntax/type_set.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sourir::profiler {

// In recorded samples a slot holds its type with this bit (nil is type 0), or 0: nothing.
inline constexpr std::uint8_t kPresent = 8;

inline constexpr std::size_t kMostSlots = 64; // of one code object

// Of a slot whose value has no feedback anywhere.
inline constexpr std::uint16_t kNoPosition = 0xFFFF;

// A position whose type feedback the code was compiled for. Several slots may sample it.
struct SampledPosition {
  std::uint32_t stream = 0, pc = 0;           // for the compiler: which version, where
  bool parameter = false;                     // `pc` is the number of one
  std::string place, what;                    // for reports: F.V+n, and the variable
  TypeSet used;                               // the feedback that the code was compiled for
  std::array<std::uint32_t, kTypes> counts{}; // samples by type; through atomic_ref
  std::uint32_t cleared = 0;                  // times that the counts were dropped, by T2

  std::uint32_t samples() const;
  TypeSet sampled() const;
};

// The staleness rule of the thesis, 4.3.
struct Thresholds {
  std::uint32_t min_samples = 20;  // T1: a slot with this many samples is ready
  std::uint32_t max_samples = 200; // T2: a slot with more, in code that is not stale, is cleared
};

enum class Staleness : std::uint8_t {
  Unknown,  // fewer than T1 samples everywhere
  Current,  // no position differs from its feedback
  Narrower, // some position has fewer types than its feedback
  Changed,  // some position has other types
};

// The word of a code object that it polls at safepoints. Lower bits: a sample is requested at these
// safepoints. Back edges are numbered within the code object and share bits from kSafepointBits on.
inline constexpr std::uint32_t kSafepointBits = 29;
constexpr std::uint32_t requested_at(std::size_t back_edge) {
  return 1U << (back_edge % kSafepointBits);
}
inline constexpr std::uint32_t kRequestedAtReturn = 1U << kSafepointBits;
inline constexpr std::uint32_t kRequestedAnywhere = (1U << (kSafepointBits + 1)) - 1;
inline constexpr std::uint32_t kPollRuntime = 1U << 30; // newer code may be there: call the runtime
inline constexpr std::uint32_t kBailOut = 1U << 31;     // newer code is there

struct SampledCode {
  SampledCode(std::uint32_t number, std::string label);

  const std::uint32_t id;                // in the order in which code was compiled
  const std::string name;                // function.version#number, unique
  std::atomic<std::uint32_t> request{0}; // the word that the code polls
  std::vector<std::uint16_t> slots;      // by slot: its position, or kNoPosition
  std::vector<SampledPosition> positions;
  std::atomic<std::uint64_t> hits{0}; // signals that interrupted it
  std::uint64_t begin = 0, size = 0;  // machine code addresses
  bool asked_for = false;             // compiled because other code, which it replaces, was stale
  std::uint32_t failed_recompilations = 0; // of its function or loop, before it: back-off
  std::atomic<bool> settled{false};        // found stale and acted on: it is not judged again

  // A signal interrupted it: a sample of each slot is requested. Async-signal-safe.
  void record_hit();
  // Receives a report at the safepoint of these bits of `request`, which are cleared. words: by
  // slot a type, or anything else for nothing; `given` has a bit for each word that is valid.
  // types: by slot kPresent | type where this is the first report since the hit, otherwise 0.
  // False: they are all 0.
  bool receive(const std::uint64_t* words, std::uint64_t given, std::uint32_t bits,
               std::array<std::uint8_t, kMostSlots>& types);
  // Counts a report that was received or recorded: by slot kPresent | type, or 0.
  void count(std::span<const std::uint8_t> types);
  // The staleness rule: whether the code is stale. Clears positions by T2.
  bool judge(const Thresholds& thresholds);
  // For reports.
  Staleness staleness(const Thresholds& thresholds) const;
  // T1 and T2 with the back-off applied.
  std::uint32_t min_samples(const Thresholds& t) const { return t.min_samples * back_off(); }
  std::uint32_t max_samples(const Thresholds& t) const { return t.max_samples * back_off(); }
  // Clears all samples, after a failed recompilation: the code is entered and judged again.
  void restart_sampling(std::uint32_t failed);

private:
  // The same few samples would only repeat the recompilation that failed.
  std::uint32_t back_off() const { return 1U << 3 * failed_recompilations; }
  bool is_stale(const Thresholds& thresholds) const;

  std::atomic<std::uint64_t> unsampled_{0}; // slots, as bits, without a report since the hit
};

// Whether samples of these types, of a value compiled for `used`, make a recompilation worth it:
// the compiler speculates on single types only.
bool is_useful(TypeSet sampled, TypeSet used);
std::string types_text(TypeSet types); // "int|float"; "?" if it is empty
const char* name_of(Staleness staleness);

// From machine code addresses to code objects, for a signal handler. Entries are added by one
// thread at a time, any of them, and removed by the thread that the handler interrupts: the handler
// never finds code that is being freed.

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
