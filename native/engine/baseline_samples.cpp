#include "native/engine/baseline_samples.h"

#include "native/engine/stack_words.h"
#include "native/interpreter/bytecode.h"

#include <algorithm>
#include <map>

namespace sourir::native {
namespace {

constexpr std::uint64_t kScannedWords = 128; // of the stack, from its top

std::uint64_t address_of(const Insn* insn) { return reinterpret_cast<std::uint64_t>(insn); }

} // namespace

BaselineSamples::BaselineSamples(std::size_t record_bytes) {
  if (record_bytes != 0) recorder_.emplace(record_bytes);
}

void BaselineSamples::add(const std::string& version, const Insn* begin, const Insn* end) {
  auto& code = codes_.emplace_back(static_cast<std::uint32_t>(codes_.size()), version);
  code.begin = address_of(begin);
  code.size = address_of(end) - code.begin;
  table_.add(code, code.begin, code.size);
}

void BaselineSamples::remove(const Insn* begin) {
  for (const profiler::SampledCode& code : codes_)
    if (code.begin == address_of(begin)) table_.remove(code);
}

BaselineSamples::Running BaselineSamples::running(const profiler::Interrupted& at,
                                                  const Registers& registers,
                                                  std::uint64_t high) const {
  // Without tail calls of handlers the instruction is in memory.
  const std::uint64_t next = address_of(registers.next_insn);
  if (auto* const code = table_.find(next)) return {next, code};
  for (const std::uint64_t held : at.held)
    if (auto* const code = table_.find(held)) return {held, code};
  constexpr std::uint64_t kWord = sizeof(std::uint64_t);
  const std::uint64_t end = std::min(high, at.stack + kScannedWords * kWord);
  for (std::uint64_t at_word = (at.stack + kWord - 1) / kWord * kWord; at_word < end;
       at_word += kWord) {
    const std::uint64_t word = word_at(at_word);
    if (auto* const code = table_.find(word)) return {word, code};
  }
  return {};
}

void BaselineSamples::sample(std::uint64_t number, const profiler::Interrupted& at,
                             const Registers& registers, std::uint64_t high) {
  const auto [insn, code] = running(at, registers, high);
  if (code == nullptr) return;
  code->hits.fetch_add(1);
  if (!recorder_) return;
  const ReturnFrame* frame = registers.frames;
  // In the middle of a call or a return the frame of the code itself lies there.
  if (const std::uint64_t call = address_of((frame - 1)->call);
      insn >= call && insn < call + 2 * sizeof(Insn))
    --frame;
  // The lowest frame of the interpreter has no bytecode of a version.
  std::size_t n = 0;
  for (; n < callers_.size(); ++n) {
    const profiler::SampledCode* const caller = table_.find(address_of((--frame)->call));
    if (caller == nullptr) break;
    callers_[n] = caller->id;
  }
  recorder_->add(number, *code, {}, std::span(callers_).first(n));
}

std::vector<std::pair<std::string, std::uint64_t>> BaselineSamples::versions() const {
  std::map<std::string, std::uint64_t> counts;
  for (const profiler::SampledCode& code : codes_)
    if (code.hits.load() != 0) counts[code.name] += code.hits.load();
  std::vector<std::pair<std::string, std::uint64_t>> all(counts.begin(), counts.end());
  std::ranges::stable_sort(all, std::greater{}, &std::pair<std::string, std::uint64_t>::second);
  return all;
}

std::vector<profiler::RecordedSample> BaselineSamples::recorded() const {
  if (!recorder_) return {};
  std::vector<std::string> names;
  for (const profiler::SampledCode& code : codes_) names.push_back(code.name + " (baseline)");
  return recorder_->read(names);
}

} // namespace sourir::native
