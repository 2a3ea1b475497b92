#include "native/engine/step_recorder.h"

#include "native/engine/exit_log.h"
#include "sourir/semantics/resolved.h"
#include "sourir/syntax/scopes.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sourir::native {

namespace {

constexpr std::uint64_t kMostStates = 2'000; // of one run; later steps have no state

// A frame of the interpreter, unbound where not in scope: it still holds older values there.
std::vector<Value> in_scope(const Program& program, const ResolvedVersion& code, Pc pc,
                            const Value* slots) {
  std::vector<Value> values(code.slots.size(), Value::unbound());
  const auto function = std::ranges::find(program.functions, code.function, &Function::name);
  const auto position = std::min<Pc>(pc, static_cast<Pc>(code.source->body.size()));
  if (const auto scope = scope_at(program, *function, *code.source, position))
    for (const Var x : *scope) values[*code.slot_of(x)] = slots[*code.slot_of(x)];
  return values;
}

} // namespace

std::uint64_t StepRecorder::depth() const {
  const Registers& r = interpreter_.registers;
  return static_cast<std::uint64_t>(interpreter_.depth_at_start() - (r.frames_limit - r.frames));
}

void StepRecorder::record(TierStep step, std::span<const FrameState> frames) {
  step.events = interpreter_.events();
  step.added = cache_.version_of(*step.code);
  Config state;
  if (!frames.empty() && states_++ < kMostStates) {
    state = reference_state(program_, input_, schedule_, limits_, {.frames = frames, .result = {}});
    step.state = &state;
  }
  const std::lock_guard names(names_.mutex);
  steps_(step);
}

// Functions with several versions are not recorded: their arguments decide, as in the reference.
void StepRecorder::entered(const ResolvedVersion& version) {
  const LinkedProgram::Fun& f = *program_.function(version.function);
  if (f.dispatch.size() != 1 || schedule_.enters()) return;
  const std::uint32_t name = version.function.id;
  entered_.resize(std::max<std::size_t>(entered_.size(), name + 1));
  const ResolvedVersion* const now = &version == f.dispatch.front() ? nullptr : &version;
  if (std::exchange(entered_[name], now) != now)
    record({.kind = TierStep::Kind::Entered, .code = &version}, {});
}

void StepRecorder::osr_entered(const ResolvedVersion& from, Pc head, const OptimizedVersion& into) {
  osr_entered(from, head, into, depth());
}

void StepRecorder::osr_entered(const ResolvedVersion& from, Pc head, const OptimizedVersion& into,
                               std::uint64_t depth) {
  record(
      {.kind = TierStep::Kind::OsrEntry, .depth = depth, .code = &from, .pc = head, .into = &into},
      {});
}

void StepRecorder::dispatched(const resolved::Exit& exit, const ResolvedVersion& version, Pc pc,
                              const DeoptTarget& target, const Value* values,
                              const OptimizedVersion& into) {
  const std::vector<std::vector<Value>> slots = values_by_slot(target, values);
  std::vector<FrameState> frames;
  for (std::size_t f = 0; f < slots.size(); ++f)
    frames.push_back(
        {target.frames[f].code, target.frames[f].pc, slots[f].data(), target.frames[f].result});
  record({.kind = TierStep::Kind::Deopt,
          .depth = depth() + frames.size() - 1,
          .code = &version,
          .pc = pc,
          .exit = &exit},
         frames);
  osr_entered(*target.frames.front().code, target.frames.front().pc, into,
              depth() + frames.size() - 1);
}

void StepRecorder::exited(const resolved::Exit& exit, const ResolvedVersion& version, Pc pc,
                          const char* base) {
  const std::vector<FrameState> frames = frames_of(exit, base, interpreter_.registers);
  const bool own = exit_of(version.instrs[pc]) == &exit;
  record({.kind = own ? TierStep::Kind::Deopt : TierStep::Kind::MappedDeopt,
          .depth = depth(),
          .code = &version,
          .pc = pc,
          .exit = &exit},
         frames);
}

void StepRecorder::bailed_out(const ResolvedVersion& version, Pc pc, const char* base) {
  const OptimizedVersion* const optimized = cache_.version_of(version);
  const Program& program = optimized != nullptr ? *optimized->program : program_.source();
  const std::vector<Value> slots =
      in_scope(program, version, pc, reinterpret_cast<const Value*>(base));
  record({.kind = TierStep::Kind::Bailout, .depth = depth(), .code = &version, .pc = pc},
         std::array{FrameState{&version, pc, slots.data()}});
}

} // namespace sourir::native
