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

} // namespace

EngineRun run_engine(const LinkedProgram& program, Input& input, const Schedule& schedule,
                     const NativeSettings& settings, const EngineHooks& hooks) {
  Heap::begin();
  auto machine = std::make_unique<Machine>(program, input, schedule, settings, hooks);
  EngineRun run;
  const WorkEnd how = on_deep_stack({.bytes = stack_bytes(settings), .interrupt = hooks.interrupt},
                                    [&](const StackBounds&) { run = machine->run(); });
  if (how == WorkEnd::StackUsedUp) {
    run.outcome.kind = OutcomeKind::Limit;
    run.outcome.limit = Limit::Depth;
  } else if (how == WorkEnd::Abandoned) { // it still runs
    static_cast<void>(machine.release());
    run.outcome.kind = OutcomeKind::Interrupted;
  }
  return run;
}

} // namespace sourir::native
