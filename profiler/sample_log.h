// Recorded samples: their recording in memory, their text (docs/schemas/samples.schema.json), with
// which a run can be repeated on any machine with the same decisions, and their call stacks in the
// formats of tools for flame graphs.
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

// A hit (a signal interrupted the code), or a report of the code after a hit.
struct RecordedSample {
  std::uint64_t at = 0;             // samples of the run before it
  std::string code;                 // SampledCode::name
  std::vector<std::uint8_t> types;  // by slot, as reported, or 0; empty: a hit
  std::vector<std::string> callers; // native frames that called it, the innermost first
  friend bool operator==(const RecordedSample&, const RecordedSample&) = default;
};

// Records samples into memory allocated beforehand, also from a signal handler; read after the run.
class SampleRecorder {
public:
  explicit SampleRecorder(std::size_t bytes) : memory_(bytes) {}
  // `callers`: SampledCode::id of its callers' code. Async-signal-safe and reentrant.
  void add(std::uint64_t at, const SampledCode& code, std::span<const std::uint8_t> types,
           std::span<const std::uint32_t> callers);
  std::uint64_t lost() const { return lost_; } // samples without room
  // `names`: by SampledCode::id.
  std::vector<RecordedSample> read(std::span<const std::string> names) const;

private:
  std::vector<std::uint8_t> memory_;
  std::atomic<std::size_t> used_{0};
  std::uint64_t lost_ = 0;
};

// JSON lines; the first is a header with `trigger`.
std::string samples_text(std::span<const RecordedSample> samples, std::string_view trigger);
// Error: the line, and what is wrong in it.
Result<std::vector<RecordedSample>> read_samples(std::string_view text);

// --- Call stacks ---

// Numbers of samples by stack, the outermost frame first.
using Stacks = std::map<std::vector<std::string>, std::uint64_t>;

// The stacks of recorded hits; the two counts become the stacks [baseline] and [elsewhere].
Stacks stacks_of(std::span<const RecordedSample> samples, std::uint64_t baseline,
                 std::uint64_t elsewhere);

// Lines "a;b;c 12", sorted.
std::string folded(const Stacks& stacks);
// https://www.speedscope.app/file-format-schema.json
std::string speedscope(const Stacks& stacks, const std::string& name);
// A self-contained HTML page.
std::string flame_graph(const Stacks& stacks, const std::string& title);

} // namespace sourir::profiler
