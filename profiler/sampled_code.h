// What samples of one piece of native code say (docs/profiler.md; Wälchli's thesis, 4.2 and 4.3).
// A slot is a value whose kind the code does not know statically. When a signal has found it, the
// code itself says at the next end of a round, or where it returns, what its slots hold. All memory
// is there before the code first runs: a signal handler only counts and asks.
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

// Nil is a kind, so in samples that are kept what a slot holds is a kind with this bit; 0: nothing.
inline constexpr std::uint8_t kPresent = 8;

inline constexpr std::size_t kMostSlots = 64; // of one piece of code

// Of a slot whose value has no feedback anywhere.
inline constexpr std::uint16_t kNoPosition = 0xFFFF;

// A place whose feedback was used for the code. Several slots may sample it.
struct SampledPosition {
  std::uint32_t stream = 0, pc = 0;           // for who made the code: which version, where
  bool parameter = false;                     // `pc` is the number of one
  std::string place, what;                    // for people
  TypeSet used;                               // the feedback that the code was compiled for
  std::array<std::uint32_t, kTypes> counts{}; // through atomic_ref
  std::uint32_t cleared = 0;                  // how often the counts were dropped as polluted

  std::uint32_t samples() const;
  TypeSet seen() const;
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

// What native code is told, through a word that it looks at. The lower bits: it is to say what it
// holds, at this end of a round (those of a piece of code are numbered, more of them share bits) or
// where it returns.
inline constexpr std::uint32_t kPlaces = 29;
constexpr std::uint32_t wanted_in(std::size_t place) { return 1U << (place % kPlaces); }
inline constexpr std::uint32_t kWantedAtReturn = 1U << kPlaces;
inline constexpr std::uint32_t kWantedAnywhere = (1U << (kPlaces + 1)) - 1;
inline constexpr std::uint32_t kLook = 1U << 30;  // there may be better code: call the runtime
inline constexpr std::uint32_t kLeave = 1U << 31; // there is: leave

struct SampledCode {
  // `offsets`: of machine code, in bytes.
  SampledCode(std::uint32_t number, std::string label);

  const std::uint32_t id; // in the order in which code was made
  const std::string name; // function.version, unique with its number among those of that name
  std::atomic<std::uint32_t> request{0}; // read by the code itself
  std::vector<std::uint16_t> slots;      // by slot: its position, or kNoPosition
  std::vector<SampledPosition> positions;
  std::atomic<std::uint64_t> hits{0}; // samples that found it on top
  std::uint64_t begin = 0, size = 0;  // machine code addresses
  bool asked_for = false;             // by samples of other code, which it replaces
  std::uint32_t disappointments = 0;  // of what it was made of: back-off
  std::atomic<bool> settled{false};   // something was done about it: it is judged no more

  // A signal found it on top: each slot is to be sampled once. Async-signal-safe.
  void found();
  // What it says at the place of these bits of `request`, which are cleared: of the slots with a
  // bit in `given` the kinds that were not sampled yet (words by slot: a kind, or anything else for
  // nothing). False: there are none.
  bool answered(const std::uint64_t* words, std::uint64_t given, std::uint32_t bits,
                std::array<std::uint8_t, kMostSlots>& kinds);
  void count(std::span<const std::uint8_t> kinds); // by slot: kPresent | kind, or 0
  // The rule: whether the code is stale; drops what T2 says.
  bool judge(const Thresholds& thresholds);
  // For reports.
  Staleness staleness(const Thresholds& thresholds) const;
  std::uint32_t enough(const Thresholds& t) const { return t.enough * patience(); }
  std::uint32_t polluted(const Thresholds& t) const { return t.polluted * patience(); }
  // It is entered again, and judged again, of more samples.
  void begin_again(std::uint32_t disappointed);

private:
  // Soon after a disappointment the same few samples would say the same.
  std::uint32_t patience() const { return 1U << 3 * disappointments; }

  std::atomic<std::uint64_t> unsampled_{0}; // a bit for each slot
  bool ready(const Thresholds& thresholds) const;
};

// Differs so that a compiler that speculates on single kinds has a use for it.
bool worth_it(TypeSet seen, TypeSet used);
std::string kinds_text(TypeSet kinds); // "int|float"; "?" if there is none
const char* name_of(Staleness staleness);

} // namespace sourir::profiler
