#include "sourir/cli/engine/replay_records.h"

#include "native/runtime/optimized_version.h"
#include "native/tiering/outlined_loop.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"

#include <fmt/format.h>

namespace sourir {

namespace {

using TierStepKind = native::TierStep::Kind;

StepRecord::Kind kind_of(TierStepKind kind) {
  switch (kind) {
  case TierStepKind::Entered: return StepRecord::Kind::Entered;
  case TierStepKind::OsrEntry: return StepRecord::Kind::OsrEntry;
  case TierStepKind::Deopt: return StepRecord::Kind::Deopt;
  case TierStepKind::MappedDeopt: return StepRecord::Kind::MappedDeopt;
  case TierStepKind::Bailout: break;
  }
  return StepRecord::Kind::Bailout;
}

std::optional<VersionRecord> record_of(const native::OptimizedVersion* added) {
  if (added == nullptr) return {};
  return VersionRecord{.number = added->number,
                       .code = &added->code(),
                       .program = added->program.get(),
                       .map = &added->map,
                       .outlined = added->outlined_from ? &*added->outlined_from : nullptr};
}

} // namespace

StepRecord record_of(const native::TierStep& step) {
  return {.kind = kind_of(step.kind),
          .events = step.events,
          .depth = step.depth,
          .code = step.code,
          .pc = step.pc,
          .added = record_of(step.added),
          .into = record_of(step.into),
          .exit = step.exit,
          .state = step.state};
}

std::optional<OutlinedProgram> outline_as_tiers(const Program& running, const Program& program,
                                                const ResolvedVersion& from, Pc head, Names& names,
                                                const OutlinedCall* callee) {
  std::optional<native::OutlinedCallee> within;
  if (callee != nullptr) within = {callee->function, callee->parameters, callee->result};
  auto loop = native::outline_loop(running, program, from.function, from.version, head, names,
                                   within ? &*within : nullptr);
  if (!loop) return {};
  return OutlinedProgram{std::move(loop->program), loop->function, std::move(loop->copies)};
}

int load_tier_log(const char* command, const std::string& file, const std::string& deopt,
                  const LinkedProgram& program, Names& names, std::optional<JitSchedule>& into) {
  constexpr std::size_t kLargest = std::size_t{1} << 30;
  if (file.empty()) return exit_status::kFine;
  const auto text = read_file(file, kLargest);
  if (const auto* problem = std::get_if<FileProblem>(&text))
    return say_error(problem->message), exit_status::kUnreadable;
  auto read = read_schedule(std::get<std::string>(text), program, names, outline_as_tiers);
  if (!read)
    return say_error(fmt::format("'{}', {}", file, read.error().message)), exit_status::kRejected;
  into = *std::move(read);
  if (into->deopt == deopt) return exit_status::kFine;
  return usage_error(command, fmt::format("the log is of a run with --deopt={}", into->deopt));
}

} // namespace sourir
