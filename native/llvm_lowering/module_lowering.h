// A module of LLVM IR under construction: types, runtime functions, alias classes, debug
// information and options that its functions share.
#pragma once

#include "native/llvm_lowering/event_markers.h"
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

// Alias classes: the leaves of the tree for type-based alias analysis. They never overlap.
enum class Memory : std::uint8_t {
  Data,
  Filled,
  Length,
  Storage, // these: headers of arrays
  Ints,
  Floats,
  Bools,
  Bits,
  Tags, // these: elements of arrays; the last two: tagged values
  Slots,
  Entry,
  Arity,
  Fuel,
  Free, // free lists, and the room of the heap
  Watchpoints,
  Dispatch, // the counters of dispatch tables
  Asked     // CompilerHost::until_asked
};
inline constexpr std::size_t kMemories = 17;

// What the code of one version was lowered with.
struct LoweredVersion {
  std::vector<SampleSlot> sample_slots;
  std::vector<EventMarker> markers;
};

class ModuleLowering {
public:
  ModuleLowering(llvm::Module& module, const CompilerHost& host, const CompileOptions& options);
  ~ModuleLowering();

  // Appends the code of one version as a function of this name.
  LoweredVersion add(const CompileRequest& request, const std::string& name);

  llvm::LLVMContext& context();
  llvm::Type* result_type() { return result_; }
  // The type of code for calls, of a version with this number of parameters.
  llvm::FunctionType* entry_type(std::size_t parameters);
  llvm::Function* declare(const CompileRequest& request, const std::string& name);
  // After the last add().
  void finish();
  llvm::Function* runtime(std::string_view name);
  // The stub that is called instead (llvm_passes.h).
  llvm::Value* stub(std::string_view name);
  llvm::MDNode* memory(Memory kind) { return memories_[static_cast<std::size_t>(kind)]; }
  llvm::MDNode* unlikely() { return unlikely_; } // weights: the first successor is taken

  llvm::Module& module;
  const CompilerHost& host;
  const CompileOptions& options;
  std::vector<NativeExit>* exits = nullptr; // where they are recorded; null: nowhere

private:
  llvm::Type* result_ = nullptr;
  llvm::MDNode* memories_[kMemories] = {};
  llvm::MDNode* unlikely_ = nullptr;
  std::unique_ptr<llvm::DIBuilder> debug_;
  llvm::DIFile* file_ = nullptr;
};

} // namespace sourir::native
