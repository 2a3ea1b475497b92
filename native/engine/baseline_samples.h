// Samples of what the interpreter runs, by the version of the function. A handler of the
// interpreter holds its instruction in a register, or what it called has saved that on the stack;
// an address of bytecode tells the version.
//
// Owns: a record for each bytecode that was made, and the recorded stacks.
// Never: reads an instruction, or anything else but registers, return frames and words of the
// stack. Threads: of the program; sample() in its signal handler.
#pragma once

#include "native/runtime/frames.h"
#include "profiler/sample_log.h"
#include "profiler/trigger.h"

#include <array>
#include <deque>
#include <optional>

namespace sourir::native {

class BaselineSamples {
public:
  // record_bytes: for the stacks; 0: none are recorded.
  explicit BaselineSamples(std::size_t record_bytes);

  // Bytecode of the version "F.V" was made; it will be freed.
  void add(const std::string& version, const Insn* begin, const Insn* end);
  void remove(const Insn* begin);

  // number: samples of the run before it. high: end of the stack. Async-signal-safe.
  void sample(std::uint64_t number, const profiler::Interrupted& at, const Registers& registers,
              std::uint64_t high);

  // Samples by version, most first.
  std::vector<std::pair<std::string, std::uint64_t>> versions() const;
  // Names are those of versions with " (baseline)" behind them.
  std::vector<profiler::RecordedSample> recorded() const;

private:
  // An address of an instruction that is being executed, and the code that it is in; null: unknown.
  struct Running {
    std::uint64_t insn = 0;
    profiler::SampledCode* code = nullptr;
  };
  Running running(const profiler::Interrupted& at, const Registers& registers,
                  std::uint64_t high) const;

  profiler::CodeTable table_;
  std::deque<profiler::SampledCode> codes_; // in the order of their ids
  std::optional<profiler::SampleRecorder> recorder_;
  std::array<std::uint32_t, 64> callers_{}; // of the sample being taken, innermost first
};

} // namespace sourir::native
