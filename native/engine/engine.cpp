#include "native/engine/engine.h"

#include "native/engine/machine.h"
#include "native/runtime/deep_stack.h"

#include <algorithm>

namespace sourir::native {

namespace {

constexpr std::uint64_t kBaselineStack = std::uint64_t{8} << 20; // the interpreter does not recurse
constexpr std::uint64_t kMostStack = std::uint64_t{64} << 30;

// The size of the C stack, which holds the environments of native code.
std::uint64_t stack_bytes(const NativeSettings& settings) {
  if (settings.engine == NativeSettings::Engine::Baseline) return kBaselineStack;
  return kBaselineStack + std::min(settings.limits.stack, kMostStack);
}

// The work of the thread: may outlive the call that started it.
struct MachineWork {
  MachineWork(const LinkedProgram& program, Input& input, const Schedule& schedule,
              const NativeSettings& settings, const EngineHooks& hooks)
      : machine(program, input, schedule, settings, hooks) {}
  Machine machine;
  EngineRun run;
};

WorkEnd work_on_stack(const std::shared_ptr<MachineWork>& work, DeepStackOptions options) {
  for (;; options.bytes /= 2) try {
      return on_deep_stack(
          options, [work](const StackBounds& stack) { work->run = work->machine.run(stack.low); });
    } catch (const std::bad_alloc&) {
      if (options.bytes <= kBaselineStack) throw;
    }
}

EngineRun ended(const std::shared_ptr<MachineWork>& work, const NativeSettings& settings) {
  EngineRun run = std::move(work->run);
  if (settings.abandon_compiler && run.outcome.kind == OutcomeKind::Stop &&
      !work->machine.stop_compiler()) {
    static auto* const kept = new std::shared_ptr<MachineWork>();
    *kept = work;
    run.compiler_abandoned = true;
  }
  return run;
}

} // namespace

void with_compiler(const LinkedProgram& program, Names& names, const NativeSettings& settings,
                   const std::function<void(NativeCompiler&)>& use) {
  Heap::begin();
  NativeSettings idle = settings;
  idle.engine = NativeSettings::Engine::Baseline; // which compiles nothing by itself
  Input input(std::vector<Value>(), names);
  const Schedule schedule;
  const EngineHooks hooks;
  Machine machine(program, input, schedule, idle, hooks);
  use(*settings.compiler(machine));
}

EngineRun run_engine(const LinkedProgram& program, Input& input, const Schedule& schedule,
                     const NativeSettings& settings, const EngineHooks& hooks) {
  Heap::begin();
  const auto work = std::make_shared<MachineWork>(program, input, schedule, settings, hooks);
  const DeepStackOptions options{
      .bytes = stack_bytes(settings),
      .interrupt = hooks.interrupt,
      .leave = [machine = &work->machine](std::uint64_t at) { machine->leave_native_code(at); }};
  switch (work_on_stack(work, options)) {
  case WorkEnd::Done: return ended(work, settings);
  case WorkEnd::StackUsedUp: { // native frames larger than the reserve
    EngineRun run;
    run.outcome =
        sourir::describe(Config(), {.status = StepStatus::AtLimit, .limit = Limit::Depth});
    return run;
  }
  case WorkEnd::Abandoned: break;
  }
  EngineRun run; // not the work's, which still runs
  run.outcome.kind = OutcomeKind::Interrupted;
  run.abandoned = true;
  return run;
}

} // namespace sourir::native
