// The variables of the activation that the emitted code runs. Each has two stack slots, bits and
// tag, that LLVM promotes to registers. At level 0 all of them lie in one block of memory, in the
// order of the slots of the version, as values: exits hand over its address.
#pragma once

#include "native/llvm_lowering/emitter.h"

namespace sourir::native {

class Variables {
public:
  explicit Variables(Emitter& emitter);

  // What is known of their types, by position.
  const TypeFlow& types() const { return types_; }
  // Allocates the slots in the current function, which is in its entry block; an earlier function's
  // slots are dropped. Then one of the two fills them: from its arguments (code for calls), or
  // from a buffer of values, its second argument (OSR entries).
  void allocate();
  void fill_from_arguments();
  void fill_from_buffer();

  // The frames that may still be pushed: the first argument of the function.
  llvm::Value* depth() const;
  // The block of memory, at level 0; otherwise null.
  llvm::Value* memory() const { return memory_; }

  // With what the types are before the current instruction.
  TypedValue operand(const resolved::Operand& e);
  void bind(Slot x, const TypedValue& value);
  llvm::Value* load_tag(Slot x);
  void set_tag(Slot x, Tag tag);
  // All variables as they are at the builder's position, of these types; poison where `used`
  // (by slot; null: all are) says no. Empty where they lie in memory.
  std::vector<TypedValue> snapshot(const TypeFlow::State& types, const std::vector<bool>* used);

private:
  Emitter& e_;
  TypeFlow types_;
  std::vector<llvm::Value*> bits_, tags_; // addresses, by slot
  llvm::Value* memory_ = nullptr;
};

} // namespace sourir::native
