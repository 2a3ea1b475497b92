// A run to its end: outcomes, statistics, hooks, and reports of the frames where it stopped. Runs,
// traces, checks and engines share the type Outcome.
#pragma once

#include "sourir/semantics/step.h"

#include <array>
#include <atomic>
#include <functional>
#include <optional>

namespace sourir {

inline constexpr std::size_t kRuleCount = 25;

// A frame of a stopped run, for messages and reports.
struct FrameReport {
  Place place;
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
  std::vector<std::pair<Var, std::string>> values; // the environment, in order of the slots
};

enum class OutcomeKind : std::uint8_t { Stop, Stuck, Limit, Interrupted };

struct Outcome {
  OutcomeKind kind = OutcomeKind::Stop;
  Value result;                           // Stop
  StuckReason reason = StuckReason::None; // Stuck
  Limit limit = Limit::None;              // Limit
  std::string message;                    // Stuck, Limit: the reason on one line
  std::optional<std::uint32_t> operand;   // Stuck: the name of the instruction that is wrong
  std::vector<FrameReport> frames;        // innermost first, at most kReportedFrames
  std::uint64_t depth = 0;                // number of frames, the current one included
};
inline constexpr std::size_t kReportedFrames = 20;

struct Statistics {
  std::uint64_t steps = 0, prints = 0, reads = 0;
  std::array<std::uint64_t, kRuleCount> rules{}; // by index_of(row)
  std::uint64_t calls = 0, deoptimizations = 0, forced = 0, opportunities = 0;
  std::uint64_t max_depth = 0, blocks = 0, heap_bytes = 0;
};

struct RunHooks {
  std::function<void(std::string_view)> print; // a line, without its newline
  // After each step: the configuration, the step, and the version and position before it. May be
  // empty.
  std::function<void(const Config&, const StepResult&, const ResolvedVersion*, Pc)> trace;
  const std::atomic<bool>* interrupt = nullptr; // read every 4096 steps; any thread may set it
  Statistics* statistics = nullptr;
};

// Runs until the program stops, is stuck, reaches a limit or is interrupted.
Outcome run(Config& c, const RunHooks& hooks);

// The outcome of a run whose last step was `last`: its frames, and the reason why it ended.
Outcome describe(const Config& c, const StepResult& last);
std::vector<FrameReport> frames_of(const Config& c, std::size_t most = kReportedFrames);

// int n as n mod 256, true as 1, anything else 0.
int exit_code(Value result);

// The expressions of an instruction in the order in which its rules evaluate them: the AST's and
// those of the resolved form correspond.
std::vector<const Expr*> expressions(const Instruction& instruction);
std::vector<const resolved::Expr*> expressions(const resolved::Instr& instruction);

// The expressions of the current instruction with their values: the premises of its rules.
struct Premise {
  std::string expression; // as printed
  EvalResult value;
};
std::vector<Premise> premises(const Config& c);
// A guard of an assume of the current version, as printed.
std::string guard_text(const Config& c, Pc pc, std::uint32_t guard);

const char* name_of(OutcomeKind kind); // "stop", "stuck", "limit", "interrupted"

} // namespace sourir
