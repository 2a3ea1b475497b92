#include "sourir/cli/engine/replay_records.h"

#include "native/runtime/optimized_version.h"
#include "native/tiering/outlined_loop.h"

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

} // namespace sourir
