#include "native/runtime/engine.h"

#include "native/runtime/deep_stack.h"
#include "native/runtime/machine.h"

#include <algorithm>

namespace sourir::native {

namespace {

constexpr std::uint64_t kFrameBytes = 256; // of the C stack, for a call between native functions
constexpr std::uint64_t kBaselineStack = std::uint64_t{8} << 20; // the interpreter does not recurse

std::uint64_t stack_bytes(const NativeSettings& settings) {
  if (settings.engine == NativeSettings::Engine::Baseline) return kBaselineStack;
  const std::uint64_t depth = std::min(settings.limits.depth, std::uint64_t{1} << 32);
  return kBaselineStack + depth * kFrameBytes;
}

// Shared with the thread, which may outlive the call.
struct Running {
  Running(const LinkedProgram& program, Input& input, const Schedule& schedule,
          const NativeSettings& settings, const EngineHooks& hooks)
      : machine(program, input, schedule, settings, hooks) {}
  Machine machine;
  EngineRun run;
};

} // namespace

EngineRun run_engine(const LinkedProgram& program, Input& input, const Schedule& schedule,
                     const NativeSettings& settings, const EngineHooks& hooks) {
  Heap::begin();
  const auto running = std::make_shared<Running>(program, input, schedule, settings, hooks);
  const WorkEnd how =
      on_deep_stack({.bytes = stack_bytes(settings), .interrupt = hooks.interrupt},
                    [running](const StackBounds&) { running->run = running->machine.run(); });
  if (how == WorkEnd::Done) return std::move(running->run);
  EngineRun run;
  if (how == WorkEnd::StackUsedUp) {
    run.outcome.kind = OutcomeKind::Limit;
    run.outcome.limit = Limit::Depth;
    run.outcome.message = "too many calls are waiting for the stack of native code (--max-depth)";
  } else {
    run.outcome.kind = OutcomeKind::Interrupted;
  }
  return run;
}

} // namespace sourir::native
