// A module of LLVM IR being made: what its functions share.
#pragma once

#include "native/runtime/compiler_host.h"

#include <initializer_list>
#include <string_view>

namespace llvm {
class BasicBlock;
class CallInst;
class DIBuilder;
class DIFile;
class DISubprogram;
class Function;
class FunctionType;
class IRBuilderBase;
class Instruction;
class LLVMContext;
class MDNode;
class Module;
class Type;
class Value;
} // namespace llvm

namespace sourir::native {

// Kinds of memory that never overlap: the leaves of the tree for type-based alias analysis.
enum class Memory : std::uint8_t {
  Data,
  Filled,
  Length,
  Storage, // headers of arrays
  Ints,
  Floats,
  Bools,
  Bits,
  Tags, // their elements; the last two: tagged values
  Slots,
  Entry,
  Arity,
  Fuel,
  Free, // lists of blocks, and what is left of the heap
  Watchpoints
};
inline constexpr std::size_t kMemories = 15;

class ModuleLowering {
public:
  ModuleLowering(llvm::Module& module, const CompilerHost& host, const CompileOptions& options);
  ~ModuleLowering();

  // Appends the code of one version, as a function of this name. What its slots for samples hold.
  std::vector<SampleSlot> add(const CompileRequest& request, const std::string& name);

  llvm::LLVMContext& context();
  llvm::Type* result_type() { return result_; }
  // Of the code of a version with so many parameters.
  llvm::FunctionType* entry_type(std::size_t parameters);
  llvm::Function* declare(const CompileRequest& request, const std::string& name);
  // Behind the last of them.
  void finish();
  llvm::Function* runtime(std::string_view name);
  // What is called for it with values on the stack (llvm_passes.h).
  llvm::Value* with_values(std::string_view name);
  llvm::MDNode* memory(Memory kind) { return memories_[static_cast<std::size_t>(kind)]; }
  llvm::MDNode* unlikely() { return unlikely_; } // weights: the first way is taken

  llvm::Module& module;
  const CompilerHost& host;
  const CompileOptions& options;
  std::vector<NativeExit>* exits = nullptr; // where they are noted; null: nowhere

private:
  llvm::Type* result_ = nullptr;
  llvm::MDNode* memories_[kMemories] = {};
  llvm::MDNode* unlikely_ = nullptr;
  std::unique_ptr<llvm::DIBuilder> debug_;
  llvm::DIFile* file_ = nullptr;
};

} // namespace sourir::native
