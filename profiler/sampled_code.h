// What samples of one piece of native code say (docs/profiler.md; Wälchli's thesis, 4.2 and 4.3).
// While it runs, its code keeps the kind of each value that it does not know statically in a slot
// of a shadow frame: word 0 holds the address of this object, slot i is word i + 1, zero until it
// has a value. All memory is there before the code first runs: a signal handler only counts.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sourir::profiler {

// Kinds of values are numbers below kKinds; a set has bit 1 << kind.
inline constexpr std::size_t kKinds = 7;
using KindSet = std::uint8_t;

// Nil is a kind, so what a slot holds is a kind with this bit.
inline constexpr std::uint64_t kPresent = 8;

// Of a slot whose value has no feedback anywhere.
inline constexpr std::uint16_t kNoPosition = 0xFFFF;

// A place whose feedback was used for the code. Several slots may sample it.
struct SampledPosition {
  std::uint32_t stream = 0, pc = 0;           // for who made the code: which version, where
  bool parameter = false;                     // `pc` is the number of one
  std::string place, what;                    // for people
  KindSet used = 0;                           // the feedback that the code was compiled for
  std::array<std::uint32_t, kKinds> counts{}; // through atomic_ref
  std::uint32_t cleared = 0;                  // how often the counts were dropped as polluted

  std::uint32_t samples() const;
  KindSet seen() const;
};

// The rule of the thesis, 4.3. Changed at any time.
struct Thresholds {
  std::uint32_t enough = 20;    // T1: samples that make a slot ready
  std::uint32_t polluted = 200; // T2: more of them, and the code is not ready: all are dropped
};

enum class Staleness : std::uint8_t {
  Unknown,  // not enough samples
  Current,  // enough, and nothing differs from the feedback that the compiler could use
  Narrower, // some position sees fewer kinds than it was compiled for
  Changed,  // some position sees other ones
};

// What native code is told at entries and ends of rounds, through the word that it looks at.
enum class Request : std::uint32_t {
  None,
  Look,  // the samples say that it is stale: call the runtime
  Leave, // there is better code: leave
};

struct SampledCode {
  // `offsets`: of machine code, in bytes.
  SampledCode(std::uint32_t number, std::string label);

  const std::uint32_t id; // in the order in which code was made
  const std::string name; // function.version, unique with its number among those of that name
  std::atomic<std::uint32_t> request{0}; // Request; read by the code itself
  std::vector<std::uint16_t> slots;      // by slot: its position, or kNoPosition
  std::vector<SampledPosition> positions;
  std::atomic<std::uint64_t> hits{0}; // samples that found it on top
  // Where the shadow frame is: so many bytes from the frame pointer (or, in code that has none to
  // spare, the stack pointer). Set before the code runs.
  std::int32_t frame_offset = 0;
  bool from_stack_pointer = false;
  std::uint64_t begin = 0, size = 0; // machine code addresses
  bool asked_for = false;            // by samples of other code, which it replaces
  std::uint32_t doublings = 0;       // of T1 and T2: back-off
  std::atomic<bool> settled{false};  // something was done about it: it is judged no more

  // One sample: without a shadow frame; the kinds in a shadow frame (its slots, without word 0).
  // Async-signal-safe.
  void count();
  void count(const volatile std::uint64_t* words);
  void count(std::span<const std::uint8_t> kinds); // kPresent | kind, or 0
  // The rule: whether the code is stale; drops what T2 says. Async-signal-safe.
  bool judge(const Thresholds& thresholds);
  // For reports.
  Staleness staleness(const Thresholds& thresholds) const;
  std::uint32_t enough(const Thresholds& t) const { return t.enough << doublings; }

private:
  void add(std::size_t slot, std::uint64_t word);
  std::uint32_t polluted(const Thresholds& t) const { return t.polluted << doublings; }
  bool ready(const Thresholds& thresholds) const;
};

// Differs so that a compiler that speculates on single kinds has a use for it.
bool worth_it(KindSet seen, KindSet used);
bool single(KindSet kinds);
std::string kinds_text(KindSet kinds); // "int|float"; "?" if there is none
const char* name_of(Staleness staleness);

} // namespace sourir::profiler
