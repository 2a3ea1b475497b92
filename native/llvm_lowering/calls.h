// Calls of functions of the program: native code calls native code directly, by the convention of
// native/runtime/native_code.h, that of one version where the arguments are known to choose it;
// functions without native code are called through the runtime.
#pragma once

#include "native/llvm_lowering/exits.h"

namespace sourir::native {

class Calls {
public:
  // Recursive calls of the version enter `body`; null: its entry, as any other call.
  Calls(Emitter& emitter, Variables& variables, Exits& exits, llvm::Function* body);

  // The address of the callee's FunctionCell; bails out unless the callee is a function with this
  // number of parameters.
  llvm::Value* cell_of(const TypedValue& callee, std::size_t arguments);
  // The result of the call. Bails out, before anything is counted, where the stack is full.
  TypedValue call(llvm::Value* cell, const TypedValue& callee,
                  const std::vector<TypedValue>& arguments);

private:
  TypedValue call_native(llvm::Value* code, const std::vector<llvm::Value*>& values);
  // `region`: the first instruction that a bailout here executes again.
  TypedValue call_through_runtime(Pc region, llvm::Value* depth, const TypedValue& callee,
                                  const std::vector<TypedValue>& arguments);
  const DispatchTable::Entry* known_version(const TypedValue& callee,
                                            const std::vector<TypedValue>& arguments) const;
  void undo_where_it_fails(Pc region, llvm::Value* result);
  llvm::Function* recursive_target(const TypedValue& callee) const;

  Emitter& e_;
  llvm::IRBuilderBase& b_;
  Variables& variables_;
  Exits& exits_;
  llvm::Function* body_;
};

} // namespace sourir::native
