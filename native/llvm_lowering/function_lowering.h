// One version as a function of LLVM IR: the driver of the other parts of the lowering. It walks the
// instructions, evaluates their expressions and binds their results.
//   types at each position         type_flow.h
//   values, the builder            emitter.h
//   variables of the activation    variables.h
//   bailouts, deoptimizations      exits.h
//   operations                     arithmetic.h, arrays.h, calls.h
//   samples                        sample_reports.h
// A result is bound at the end of its instruction, so a bailout in it has the state before it.
#pragma once

#include "native/llvm_lowering/module_lowering.h"

namespace sourir::native {

// Emits the code of the request into `function`. `body`: the function for the code, which recursive
// calls enter; null: all is one function.
LoweredVersion lower_function(ModuleLowering& module, llvm::IRBuilderBase& builder,
                              const CompileRequest& request, llvm::Function* function,
                              llvm::Function* body);

} // namespace sourir::native
