// Context dispatch (dissertation 3.2) in native code: contexts tested on the arguments of a call,
// the version that is known at compile time, and dispatchers.
#pragma once

#include "native/llvm_lowering/emitter.h"

namespace sourir::native {

class ContextTests {
public:
  // By number, the arguments of a call: the slots of the guards.
  ContextTests(Emitter& emitter, std::span<const TypedValue> arguments);

  // Branches to `other` where the guard does not hold. Precondition: is_tested_natively().
  // by_storage: guards on elements do not hold either unless the storage of the array shows it.
  void require(const resolved::Expr& guard, llvm::BasicBlock* other, bool by_storage);
  // The version that the call enters, whatever the values are; null: it depends on them. Emits no
  // block.
  const DispatchTable::Entry* known_version(const DispatchTable& table);

private:
  TypedValue operand(const resolved::Operand& e) const;
  llvm::Value* has_type(const TypedValue& v, Tag tag);          // i1
  llvm::Value* equal(const TypedValue& a, const TypedValue& b); // i1
  llvm::Value* is_bool(const TypedValue& v, bool value);        // i1
  llvm::Value* holds(const resolved::Expr& guard);              // i1; not of elements
  void require_elements(const TypedValue& array, Tag type, llvm::BasicBlock* other,
                        bool by_storage);
  std::optional<bool> known(const resolved::Expr& guard);

  Emitter& e_;
  llvm::IRBuilderBase& b_;
  std::span<const TypedValue> arguments_;
};

// The code of `function`: the dispatcher that the request asks for.
LoweredVersion lower_dispatcher(ModuleLowering& module, llvm::IRBuilderBase& builder,
                                const CompileRequest& request, llvm::Function* function);

// Adds one to a counter of a dispatch table, with CompileOptions::counts_dispatches.
void count_call(Emitter& emitter, const std::uint64_t& counter);

} // namespace sourir::native
