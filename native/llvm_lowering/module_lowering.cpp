#include "native/llvm_lowering/dispatch.h"
#include "native/llvm_lowering/function_lowering.h"
#include "native/llvm_lowering/line_table.h"

#include <llvm/BinaryFormat/Dwarf.h>
#include <llvm/IR/DIBuilder.h>
#include <llvm/IR/IRBuilder.h>
#include <llvm/IR/MDBuilder.h>
#include <llvm/IR/Module.h>

namespace sourir::native {

namespace {

constexpr const char* kMemoryNames[kMemories] = {
    "data",  "filled", "length", "storage", "ints", "floats",      "bools",    "bits", "tags",
    "slots", "entry",  "arity",  "fuel",    "free", "watchpoints", "dispatch", "asked"};

llvm::Type* type_of(char letter, llvm::LLVMContext& context, llvm::Type* result) {
  switch (letter) {
  case 'v': return llvm::Type::getVoidTy(context);
  case 'R': return result;
  case 'w': return llvm::Type::getInt64Ty(context);
  default: return llvm::PointerType::get(context, 0);
  }
}

// The effects of a runtime function on memory that native code accesses.
void set_effects(llvm::Function& f, std::string_view name) {
  f.setDoesNotThrow();
  if (name == "rt_binary" || name == "rt_unary") {
    f.setDoesNotAccessMemory();
    f.setWillReturn();
  } else if (name == "rt_load" || name == "rt_elements_are") {
    f.setOnlyReadsMemory();
    f.setWillReturn();
  } else if (name == "rt_poll_sample" || name == "rt_poll_loop" || name == "rt_poll_entry" ||
             name == "rt_begin_instrumented" || name == "rt_report_sample" ||
             name == "rt_opportunity") { // runs no code of the program; rt_take_sample also
                                         // sets the counter
    f.setOnlyAccessesInaccessibleMemOrArgMem();
  } else if (name == "rt_stop" || name == "rt_out_of_fuel" || name == "rt_dropped_exit") {
    f.setDoesNotReturn();
  }
}

} // namespace

ModuleLowering::ModuleLowering(llvm::Module& made, const CompilerHost& from,
                               const CompileOptions& how)
    : module(made), host(from), options(how), debug_(std::make_unique<llvm::DIBuilder>(made)) {
  llvm::Type* word = llvm::Type::getInt64Ty(context());
  result_ = llvm::StructType::get(word, word);
  llvm::MDBuilder metadata(context());
  llvm::MDNode* root = metadata.createTBAARoot("sourir");
  for (std::size_t i = 0; i < kMemories; ++i) {
    llvm::MDNode* leaf = metadata.createTBAAScalarTypeNode(kMemoryNames[i], root);
    memories_[i] = metadata.createTBAAStructTagNode(leaf, leaf, 0);
  }
  unlikely_ = metadata.createBranchWeights(100'000, 1);
  module.addModuleFlag(llvm::Module::Warning, "Debug Info Version", llvm::DEBUG_METADATA_VERSION);
  module.addModuleFlag(llvm::Module::Warning, "Dwarf Version", 4);
  file_ = debug_->createFile("sourir", "");
  debug_->createCompileUnit(llvm::dwarf::DW_LANG_C, file_, "sourir", true, "", 0, "",
                            llvm::DICompileUnit::LineTablesOnly);
}

ModuleLowering::~ModuleLowering() = default;

llvm::LLVMContext& ModuleLowering::context() { return module.getContext(); }

llvm::FunctionType* ModuleLowering::entry_type(std::size_t parameters) {
  const std::vector<llvm::Type*> words(1 + 2 * parameters, llvm::Type::getInt64Ty(context()));
  return llvm::FunctionType::get(result_, words, false);
}

llvm::Function* ModuleLowering::runtime(std::string_view name) {
  if (llvm::Function* f = module.getFunction(name)) return f;
  for (const RuntimeCall& row : host.calls) {
    if (name != row.name) continue;
    std::vector<llvm::Type*> types;
    for (const char* c = row.type + 1; *c != 0; ++c)
      types.push_back(type_of(*c, context(), result_));
    auto* type = llvm::FunctionType::get(type_of(*row.type, context(), result_), types, false);
    auto* f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
    set_effects(*f, name);
    if (row.cold) f->addFnAttr(llvm::Attribute::Cold);
    return f;
  }
  throw std::runtime_error("the runtime has no function " + std::string(name));
}

// A global variable for LLVM, so that it may be called with any number of arguments.
llvm::Value* ModuleLowering::stub(std::string_view name) {
  return module.getOrInsertGlobal("stub." + std::string(name), llvm::Type::getInt8Ty(context()));
}

llvm::Function* ModuleLowering::declare(const CompileRequest& request, const std::string& name) {
  llvm::FunctionType* type = entry_type(request.code->parameters);
  if (!request.entry)
    type = llvm::FunctionType::get(
        result_, {llvm::Type::getInt64Ty(context()), llvm::PointerType::get(context(), 0)}, false);
  auto* f = llvm::Function::Create(type, llvm::Function::ExternalLinkage, name, module);
  f->setDoesNotThrow();
  f->addFnAttr("frame-pointer", "all");
  auto* signature = debug_->createSubroutineType(debug_->getOrCreateTypeArray({}));
  f->setSubprogram(debug_->createFunction(file_, name, name, file_, 0, signature, 0,
                                          llvm::DINode::FlagZero,
                                          llvm::DISubprogram::SPFlagDefinition));
  return f;
}

LoweredVersion ModuleLowering::add(const CompileRequest& request, const std::string& name) {
  llvm::IRBuilder<> builder(context());
  llvm::Function* function = declare(request, name);
  if (request.dispatched != nullptr) return lower_dispatcher(*this, builder, request, function);
  llvm::Function* body = nullptr;
  if (request.calls_itself && request.entry && options.level > 0 && calls_itself(*request.code)) {
    body = declare(request, name + body_suffix());
    body->setLinkage(llvm::Function::InternalLinkage);
    body->addFnAttr(llvm::Attribute::NoInline); // one native frame for each frame of the program
  }
  return lower_function(*this, builder, request, function, body);
}

void ModuleLowering::finish() { debug_->finalize(); }

} // namespace sourir::native
