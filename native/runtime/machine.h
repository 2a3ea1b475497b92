// One run of a program in the native tier: functions, heap, stacks, input and output. The stacks
// are reserved address ranges that the collector scans up to their tops.
#pragma once

#include "native/runtime/engine.h"
#include "native/runtime/function_cell.h"
#include "native/runtime/heap.h"

namespace sourir::native {

class Machine {
public:
  Machine(const LinkedProgram& program, Input& input, const Schedule& schedule,
          const NativeSettings& settings, const EngineHooks& hooks);
  ~Machine();
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;

  // Where the cell of a function is; indexed by the id of its name, as function values are.
  FunctionCell& cell(FunName name) { return cells_[name.id]; }
  // The table itself: FunctionCell[number of names], for calls of function values.
  FunctionCell* cells() { return cells_.get(); }
  // Counted down at calls and back edges where CompileOptions::fuel; negative: used up.
  std::int64_t* fuel() { return &fuel_; }

private:
  std::unique_ptr<FunctionCell[]> cells_;
  std::int64_t fuel_ = 0;
};

} // namespace sourir::native
