// Samples of code objects, the staleness rule, and the table from addresses to code objects
// (docs/profiler.md; Wälchli's thesis, 4.2 and 4.3). A sample slot is a value whose type is not
// known statically, or an array whose storage is not. A signal that interrupts the code requests a
// sample; at its next safepoint (a back edge or a return) the code reports the types of its slots.
// Only instrumented code does so; a version has code without that, too, which enters the
// instrumented code where a sample is requested ("A framework for reducing the cost of instrumented
// code", Arnold and Ryder, PLDI 2001), so that all that it pays is polls. All memory is allocated
// before the code first runs: a signal handler only counts and requests.
#pragma once

#include "sourir/syntax/type_set.h"

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace sourir::profiler {

// What code reports of a slot: a set of types, as the bits of a TypeSet; of an array with
// kElements, the types of the elements of arrays that are all of one type and unboxed, and nil for
// others. 0: nothing. It is a set since a short loop is sampled when it has ended, of which the
// last iteration says little: many loops end with a special value, such as the nil that
// ends a list.
inline constexpr std::uint8_t kElements = 1U << kTypes;

inline constexpr std::size_t kMostSlots = 64; // of one code object

// The position of a slot whose value has no feedback.
inline constexpr std::uint16_t kNoPosition = 0xFFFF;

// A position whose feedback the code was compiled for: types, or the storage of an array. Several
// slots may sample it.
struct SampledPosition {
  std::uint32_t stream = 0, pc = 0;           // for the compiler: version and position in it
  bool parameter = false;                     // `pc` is a parameter's number
  bool elements = false;                      // types are those of elements; nil: any
  std::string place, what;                    // for reports: F.V+n, and the variable
  TypeSet used;                               // the feedback that the code was compiled for
  std::array<std::uint32_t, kTypes> counts{}; // samples with the type; through atomic_ref
  std::uint32_t taken = 0;                    // samples; through atomic_ref
  std::uint32_t cleared = 0;                  // times that the counts were cleared, by T2

  // Whether a slot that reports this is one of the position: of an array, or of a value.
  bool takes(std::uint8_t reported) const;
  // Counts what its slots reported, together; nothing if it does not take that.
  void count(std::uint8_t reported);
  std::uint32_t samples() const;
  TypeSet sampled() const;
  // Whether the sampled types justify a recompilation: only a single one, as the compiler
  // speculates on no others.
  bool is_useful() const;
  // "int|float", "int[]|any[]"; "?" if the set is empty.
  std::string text(TypeSet types) const;
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

// Bits of SampledCode::request. Lower bits: a sample is requested at these safepoints. Loops are
// numbered within the code object; numbers from kSafepointBits on share the bits of others.
inline constexpr std::uint32_t kSafepointBits = 27;
constexpr std::uint32_t requested_at(std::size_t safepoint) {
  return 1U << (safepoint % kSafepointBits);
}
inline constexpr std::uint32_t kRequestedAtReturn = 1U << kSafepointBits;
inline constexpr std::uint32_t kRequestedAnywhere = (1U << (kSafepointBits + 1)) - 1;
// A running loop is to leave the code: uninstrumented code because its next entry may be far,
// instrumented code because it has taken its sample.
inline constexpr std::uint32_t kLeaveLoop = 1U << 28;
// Slow instrumented code is to be left at any back edge: too much time is spent there.
inline constexpr std::uint32_t kLeaveSlow = 1U << 29;
inline constexpr std::uint32_t kPollRuntime = 1U << 30; // newer code may exist: call the runtime
inline constexpr std::uint32_t kBailOut = 1U << 31;     // newer code exists

// What code that polls at a safepoint does then.
enum class Answer : std::uint8_t {
  GoOn,
  Leave,  // bails out: there is newer code, or instrumented code is to be entered or left
  Sample, // reports
};

// A signal. Nanoseconds of processor time; without a clock now is 0 and period 1.
struct Hit {
  std::uint64_t now = 0;
  std::uint64_t period = 1; // the time that the signal stands for
  bool in_instrumented = false;
};

struct SampledCode {
  SampledCode(std::uint32_t number, std::string label);

  const std::uint32_t id;                // in the order in which code was compiled
  const std::string name;                // function.version#number, unique
  std::atomic<std::uint32_t> request{0}; // the word that the code polls
  std::vector<std::uint16_t> slots;      // by slot: its position, or kNoPosition
  // Recursive calls enter the code: the first activations to return are the last ones of the
  // recursion.
  bool is_recursive = false;
  // A report has the types of all activations since the last report: by slot, `kept`. Of recursive
  // code, and where activations are short: one of them has only some of the types that the next
  // ones have. Set before `instrumented`.
  bool keeps_types = false;
  std::array<std::uint64_t, kMostSlots> kept{};
  std::vector<SampledPosition> positions;
  std::atomic<std::uint64_t> hits{0};      // signals that interrupted it
  std::uint64_t begin = 0, size = 0;       // machine code addresses
  bool replaces_stale = false;             // compiled to replace stale code
  std::uint32_t failed_recompilations = 0; // of its function or loop, earlier: back-off
  std::atomic<bool> handled{false};        // found stale and acted on: not judged again
  // The code that reports the slots, for code that does not: it has the same convention, and is
  // entered instead for a few activations a hit (of recursive code for more). Null: it is not
  // compiled.
  std::atomic<void*> instrumented{nullptr};
  // The word in which all callers find the address of the code, and that address. For a hit the
  // signal handler puts the instrumented code there; before that is compiled null, and 0 into
  // `*asked_at`: the next call asks the tiers. Null: the code itself polls at its entry.
  std::atomic<std::atomic<void*>*> calls{nullptr};
  std::uint64_t* asked_at = nullptr; // set before `calls`
  void* entry = nullptr;
  // 0: it reports the slots itself. Of signals that stand for `period` at least; of longer periods
  // fewer are enough.
  std::uint32_t hits_until_instrumented = 0;
  std::uint64_t period = 1;
  bool is_instrumented() const { return hits_until_instrumented == 0; }
  bool asked_for_instrumented = false; // thread of the program only, and its signal handler
  // Whether a running loop leaves the code to be sampled if no call enters it for long. False for
  // continuations of exits: the baseline would enter other code at the head of the loop, and this
  // code only after the next such exit.
  bool leaves_loops = true;
  // The instrumented code was compiled in a hurry and is slow. Set before `instrumented`.
  bool instrumented_is_slow = false;

  // Counts a signal that interrupted it and requests a sample of each slot. Instrumented code is
  // entered only as long as little of the time is spent in it. Async-signal-safe.
  void record_hit(const Hit& hit = {});
  // Whether `address`, which the table finds for this record, lies in the instrumented code.
  bool in_instrumented(std::uint64_t address) const { return address - begin >= size; }
  // Instrumented code could be entered `now`: whether that is soon after the hit, so that its
  // activations are short, and the time to compile it counts for more than its speed. Without a
  // clock: true.
  bool is_entered_soon(std::uint64_t now) const;
  // There is no time for it now: as if the hits so far were answered. A later poll asks again.
  void wait_for_instrumented() { unanswered_.store(0, std::memory_order_relaxed); }
  // At an entry of uninstrumented code that polls: the code that is entered instead, or null.
  void* instrumented_to_enter();
  // At the entry of instrumented code. now: as in a Hit, here and below. The returns of short
  // activations report at the last of these entries.
  void begin_instrumented(std::uint64_t now = 0);
  // At a back edge of uninstrumented code: whether the loop is left, so that instrumented code is
  // entered. to_entry: the entry of the code follows at once.
  bool leaves_loop(bool to_entry);
  // At a back edge of instrumented code to its entry, or at a return: whether it has been sampled,
  // and is left.
  bool leaves_instrumented(std::uint64_t now = 0);
  // At any back edge of slow instrumented code: whether it is left.
  bool leaves_slow();
  // The safepoint of these bits of `request` was reached; they are cleared. Whether a sample is
  // requested there of slots that have not been sampled since the hit.
  bool begins_sample(std::uint32_t bits);
  // Receives a report, by slot. `types`: the word where this is the first report since the hit,
  // otherwise 0. False: all are 0.
  bool receive(const std::uint64_t* words, std::array<std::uint8_t, kMostSlots>& types);
  // Counts a received or recorded report, as one sample of each position: what its slots tell comes
  // from the same moment.
  void count(std::span<const std::uint8_t> types);
  // Whether there are too few samples for the staleness rule, and more may come soon: values that
  // have none where others have plenty are rare. Async-signal-safe.
  bool is_open(const Thresholds& thresholds) const;
  // The staleness rule: whether the code is stale. Clears positions by T2; code that is not
  // instrumented then takes no samples for a while.
  bool judge(const Thresholds& thresholds);
  // For reports.
  Staleness staleness(const Thresholds& thresholds) const;
  // T1 and T2 with the back-off applied. Where activations are short a type may be rare, and a
  // guard that fails in one call of thirty costs more than waiting.
  std::uint32_t min_samples(const Thresholds& t) const {
    return t.min_samples * back_off() * (keeps_types ? 3 : 1);
  }
  std::uint32_t max_samples(const Thresholds& t) const { return t.max_samples * back_off(); }
  // Clears all samples, after a failed recompilation: the code is entered and judged again.
  void restart_sampling(std::uint32_t failed);

private:
  // A factor of the thresholds: the same few samples would repeat the failed recompilation.
  std::uint32_t back_off() const { return 1U << 3 * failed_recompilations; }
  bool is_stale(const Thresholds& thresholds) const;

  bool is_hot() const;
  bool rests() const;
  bool may_be_entered(const Hit& hit) const;
  bool reports_at_last_entry() const { return keeps_types && !is_recursive; }
  void end_entries();
  void withdraw_request();
  void exchange_entry(void* from, void* to);

  std::atomic<std::uint64_t> unsampled_{0};   // slots, as bits, without a report since the hit
  std::atomic<std::uint32_t> entries_{0};     // of instrumented code, still allowed for the hit
  std::atomic<std::uint32_t> unanswered_{0};  // hits since instrumented code was last entered
  std::atomic<std::uint64_t> rests_until_{0}; // by hits: no samples are taken
  std::atomic<std::uint64_t> first_unanswered_{0}; // when the first of these was recorded
  // What the hits stand for, and how much of it was spent in instrumented code.
  std::atomic<std::uint64_t> time_{0}, instrumented_time_{0};
  std::atomic<std::uint64_t> first_entry_{0};   // since the hit; 0: the time since it is counted
  std::atomic<std::uint64_t> entered_first_{0}; // of the entries for the hit: when
};

// The name of what a slot reports: "int", "nil|int", "int[]"; "?" if it is nothing.
std::string name_of_reported(std::uint8_t word);
// The word of that name; empty: there is none.
std::optional<std::uint8_t> reported_word(std::string_view name);
const char* name_of(Staleness staleness);

// From machine code addresses to code objects, for a signal handler. One thread at a time, any,
// adds entries; the thread that the handler interrupts removes them, so the handler never finds
// code that is being freed.
class CodeTable {
public:
  static constexpr std::size_t kMost = 4096; // further code objects are not sampled

  // False: the table is full. A record may have several ranges of addresses.
  bool add(SampledCode& code, std::uint64_t begin, std::uint64_t size);
  void remove(const SampledCode& code); // all its ranges
  // The code object of the address, or null. Async-signal-safe.
  SampledCode* find(std::uint64_t address) const;

private:
  struct Entry {
    std::atomic<std::uint64_t> begin{0}, end{0}; // begin 0: free
    std::atomic<SampledCode*> code{nullptr};
  };
  std::unique_ptr<Entry[]> entries_ = std::make_unique<Entry[]>(kMost);
  std::atomic<std::size_t> used_{0}; // entries from here on were never used
};

} // namespace sourir::profiler
