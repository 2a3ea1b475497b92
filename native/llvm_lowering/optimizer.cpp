#include "native/llvm_lowering/optimizer.h"

#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>

#include <stdexcept>

namespace sourir::native {

namespace {

template <class T>
T unwrap(llvm::Expected<T> result) {
  if (result) return std::move(*result);
  throw std::runtime_error("LLVM: " + llvm::toString(result.takeError()));
}

std::unique_ptr<llvm::TargetMachine> make_target(llvm::CodeGenOptLevel level) {
  auto builder = unwrap(llvm::orc::JITTargetMachineBuilder::detectHost());
  builder.setCodeGenOptLevel(level);
  // Code for a JIT is of the large model otherwise, with an address of 64 bits for each constant.
  builder.setCodeModel(llvm::CodeModel::Small);
  builder.setRelocationModel(llvm::Reloc::PIC_);
  return unwrap(builder.createTargetMachine());
}

} // namespace

Optimizer::Optimizer()
    : fast_(make_target(llvm::CodeGenOptLevel::None)),
      good_(make_target(llvm::CodeGenOptLevel::Default)) {}

Optimizer::~Optimizer() = default;

void Optimizer::prepare(llvm::Module& module) const {
  module.setTargetTriple(good_->getTargetTriple().str());
  module.setDataLayout(good_->createDataLayout());
}

void Optimizer::optimize(llvm::Module& module, unsigned level) const {
  if (level == 0) return;
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PassBuilder passes(good_.get());
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  passes.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O2).run(module, modules);
}

std::unique_ptr<llvm::MemoryBuffer> Optimizer::object(llvm::Module& module, unsigned level) const {
  return unwrap(llvm::orc::SimpleCompiler(target(level))(module));
}

std::string Optimizer::assembly(llvm::Module& module, unsigned level) const {
  llvm::SmallString<0> text;
  llvm::raw_svector_ostream out(text);
  llvm::legacy::PassManager passes;
  if (target(level).addPassesToEmitFile(passes, out, nullptr, llvm::CodeGenFileType::AssemblyFile))
    throw std::runtime_error("LLVM: no assembly for this target");
  passes.run(module);
  return std::string(text);
}

} // namespace sourir::native
