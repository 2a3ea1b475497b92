// The recorder of the steps of the tiers, for a replay in the reference (EngineHooks::steps).
// Never: changes the run. Threads: of the program.
#pragma once

#include "native/deopt/reference_state.h"
#include "native/engine/engine.h"
#include "native/interpreter/interpreter.h"

namespace sourir::native {

class StepRecorder {
public:
  StepRecorder(const LinkedProgram& program, Input& input, const Schedule& schedule,
               const Limits& limits, const Interpreter& interpreter, const CodeCache& cache,
               SharedNames& names, const std::function<void(const TierStep&)>& steps)
      : program_(program), input_(input), schedule_(schedule), limits_(limits),
        interpreter_(interpreter), cache_(cache), names_(names), steps_(steps) {}

  // Whether steps are recorded: a precondition of the other functions.
  bool on() const { return static_cast<bool>(steps_); }
  void entered(const ResolvedVersion& version);
  // A frame at a loop header, or where an exit or a return led, enters the native code of the
  // outlined loop.
  void osr_entered(const ResolvedVersion& from, Pc head, const OptimizedVersion& into);
  // The exit is taken without frames, and the rest of those that it would make entered.
  void dispatched(const resolved::Exit& exit, const ResolvedVersion& version, Pc pc,
                  const DeoptTarget& target, const Value* values, const OptimizedVersion& into);
  // The frames of the exit are materialized, the innermost at base.
  void exited(const resolved::Exit& exit, const ResolvedVersion& version, Pc pc, const char* base);
  void bailed_out(const ResolvedVersion& version, Pc pc, const char* base);

private:
  void osr_entered(const ResolvedVersion& from, Pc head, const OptimizedVersion& into,
                   std::uint64_t depth);
  void record(TierStep step, std::span<const FrameState> frames);
  std::uint64_t depth() const;

  const LinkedProgram& program_;
  Input& input_;
  const Schedule& schedule_;
  const Limits& limits_;
  const Interpreter& interpreter_;
  const CodeCache& cache_;
  SharedNames& names_;
  const std::function<void(const TierStep&)>& steps_;
  std::vector<const ResolvedVersion*>
      entered_; // by the id of the function's name; null: the program's
  std::uint64_t states_ = 0;
};

} // namespace sourir::native
