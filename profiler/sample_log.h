// Recorded samples: a run can be repeated with them, on any machine, with the same decisions
// (docs/schemas/samples.schema.json).
#pragma once

#include "profiler/sampled_code.h"
#include "sourir/syntax/result.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sourir::profiler {

// A hit (a signal interrupted the code), or the report of the code after it.
struct RecordedSample {
  std::uint64_t at = 0;             // samples of the run before it
  std::string code;                 // SampledCode::name
  std::vector<std::uint8_t> types;  // by slot: kPresent | type, or 0; empty: a hit
  std::vector<std::string> callers; // native frames below it on the stack, the innermost first
  friend bool operator==(const RecordedSample&, const RecordedSample&) = default;
};

// Records samples into memory allocated beforehand, also from a signal handler; read after the run.
class SampleRecorder {
public:
  explicit SampleRecorder(std::size_t bytes) : memory_(bytes) {}
  // callers: the ids of its callers' code. Async-signal-safe; may interrupt itself.
  void add(std::uint64_t at, const SampledCode& code, std::span<const std::uint8_t> types,
           std::span<const std::uint32_t> callers);
  std::uint64_t lost() const { return lost_; } // samples without room
  // names: by SampledCode::id.
  std::vector<RecordedSample> read(std::span<const std::string> names) const;

private:
  std::vector<std::uint8_t> memory_;
  std::atomic<std::size_t> used_{0};
  std::uint64_t lost_ = 0;
};

// JSON lines; the first is a header with `trigger`.
std::string samples_text(std::span<const RecordedSample> samples, std::string_view trigger);
// Or what is wrong with the text, with its line.
Result<std::vector<RecordedSample>> read_samples(std::string_view text);

// Call stacks of the samples, in the formats of tools for flame graphs.

// Samples by stack; the outermost frame first.
using Stacks = std::map<std::vector<std::string>, std::uint64_t>;

// Of recorded samples, with the two counts as stacks [baseline] and [elsewhere].
Stacks stacks_of(std::span<const RecordedSample> samples, std::uint64_t baseline,
                 std::uint64_t elsewhere);

// "a;b;c 12", a line each, sorted.
std::string folded(const Stacks& stacks);
// https://www.speedscope.app/file-format-schema.json
std::string speedscope(const Stacks& stacks, const std::string& name);
// A self-contained HTML page.
std::string flame_graph(const Stacks& stacks, const std::string& title);

} // namespace sourir::profiler
