// The variables of an activation in the emitted code. Each has two stack slots, bits and tag, that
// LLVM promotes to registers. At level 0 all of them lie in one block of memory, in the
// order of the slots of the version, as values: exits hand over its address.
#pragma once

#include "native/llvm_lowering/emitter.h"

namespace sourir::native {

class Variables {
public:
  explicit Variables(Emitter& emitter);

  // Their types, by position.
  const TypeFlow& types() const { return types_; }
  // Allocates the slots in the entry block of the current function; those of an earlier function
  // are dropped. Then one of the two fills them: from the function's arguments (code for calls), or
  // from a buffer of values, its second argument (OSR code).
  void allocate();
  void fill_from_arguments();
  void fill_from_buffer();

  // The number of continuations that may still be pushed: the function's first argument.
  llvm::Value* depth() const;
  // The block of memory, at level 0; otherwise null.
  llvm::Value* memory() const { return memory_; }

  // With its types before the current instruction.
  TypedValue operand(const resolved::Operand& e);
  void bind(Slot x, const TypedValue& value);
  llvm::Value* load_tag(Slot x);
  void set_tag(Slot x, Tag tag);
  // All variables at the builder's position, of these types; poison where not `used` (by slot;
  // null: all are used). Empty where they lie in memory.
  std::vector<TypedValue> snapshot(const TypeFlow::State& types, const std::vector<bool>* used);

private:
  Emitter& e_;
  TypeFlow types_;
  std::vector<llvm::Value*> bits_, tags_; // addresses, by slot
  llvm::Value* memory_ = nullptr;
};

} // namespace sourir::native
