// Samples that are kept, to do again what came of them without the machine that took them
// (docs/schemas/samples.schema.json).
#pragma once

#include "profiler/sampled_code.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sourir::profiler {

// Where a signal found the program, or what the code said afterwards of its values.
struct RecordedSample {
  std::uint64_t at = 0;             // signals, or ticks, so far
  std::string code;                 // SampledCode::name
  std::vector<std::uint8_t> kinds;  // by slot: kPresent | kind, or 0; empty: where it was found
  std::vector<std::string> callers; // native code that waits for it, the innermost first
  friend bool operator==(const RecordedSample&, const RecordedSample&) = default;
};

// Written by a signal handler too, into memory that is there; read when the run has ended.
class SampleRecorder {
public:
  explicit SampleRecorder(std::size_t bytes) : memory_(bytes) {}
  // callers: the ids of native code that waits for it. Async-signal-safe, and the signal that
  // calls it may come while the thread is in here.
  void add(std::uint64_t at, const SampledCode& code, std::span<const std::uint8_t> kinds,
           std::span<const std::uint32_t> callers);
  std::uint64_t lost() const { return lost_; } // there was no more room
  // names: by SampledCode::id.
  std::vector<RecordedSample> read(std::span<const std::string> names) const;

private:
  std::vector<std::uint8_t> memory_;
  std::atomic<std::size_t> used_{0};
  std::uint64_t lost_ = 0;
};

// JSON lines, the first with `trigger`.
std::string samples_text(std::span<const RecordedSample> samples, std::string_view trigger);
// What is wrong with the text, with its line, instead.
std::variant<std::vector<RecordedSample>, std::string> read_samples(std::string_view text);

} // namespace sourir::profiler
