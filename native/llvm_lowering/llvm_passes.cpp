#include "native/llvm_lowering/llvm_passes.h"

#include "native/llvm_lowering/pass_log.h"

#include <llvm/Analysis/AssumptionCache.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/Analysis/TargetTransformInfo.h>
#include <llvm/ExecutionEngine/Orc/CompileUtils.h>
#include <llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h>
#include <llvm/IR/Dominators.h>
#include <llvm/IR/LegacyPassManager.h>
#include <llvm/IR/Module.h>
#include <llvm/Passes/PassBuilder.h>
#include <llvm/Target/TargetMachine.h>
#include <llvm/Transforms/Scalar/IndVarSimplify.h>
#include <llvm/Transforms/Scalar/LICM.h>
#include <llvm/Transforms/Scalar/LoopPassManager.h>
#include <llvm/Transforms/Scalar/SimpleLoopUnswitch.h>
#include <llvm/Transforms/Scalar/SimplifyCFG.h>

#include <algorithm>
#include <optional>
#include <stdexcept>

namespace sourir::native {

namespace {

constexpr unsigned kLoopAlignment = 32; // bytes

template <class T>
T unwrap(llvm::Expected<T> result) {
  if (result) return std::move(*result);
  throw std::runtime_error("LLVM: " + llvm::toString(result.takeError()));
}

std::unique_ptr<llvm::TargetMachine> make_target(llvm::CodeGenOptLevel level) {
  auto builder = unwrap(llvm::orc::JITTargetMachineBuilder::detectHost());
  builder.setCodeGenOptLevel(level);
  // The default of a JIT is the large model, with an address of 64 bits for each constant.
  builder.setCodeModel(llvm::CodeModel::Small);
  builder.setRelocationModel(llvm::Reloc::PIC_);
  // Measured against LLVM's own alignment and 64 bytes: bench/results/native.md.
  builder.getOptions().LoopAlignment = kLoopAlignment;
  return unwrap(builder.createTargetMachine());
}

// Checks in loops of what no iteration changes, such as the storage of an array, or a divisor that
// an outer loop changes. LLVM's pipeline takes them out of the loop (SimpleLoopUnswitch), but once
// only, before GVN finds that two loads of a field of an array are one. Here this is repeated after
// GVN: an exit whose condition is invariant is taken in the first iteration or never, so that
// IndVarSimplify makes what it hands over invariant, too, and the check can go. Then the loop is
// certain to execute what stood after it, and LICM hoists that, which may be the operands of
// another check. A loop that is left with one exit is unrolled.
class UnswitchInvariantExits : public llvm::PassInfoMixin<UnswitchInvariantExits> {
public:
  UnswitchInvariantExits() {
    llvm::LoopPassManager loops;
    loops.addPass(llvm::IndVarSimplifyPass());
    loops.addPass(llvm::SimpleLoopUnswitchPass());
    unswitch_.addPass(llvm::createFunctionToLoopPassAdaptor(std::move(loops)));
    hoist_.addPass(llvm::SimplifyCFGPass());
    hoist_.addPass(llvm::createFunctionToLoopPassAdaptor(llvm::LICMPass(llvm::LICMOptions()),
                                                         /*UseMemorySSA=*/true));
  }

  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
    llvm::PreservedAnalyses preserved = llvm::PreservedAnalyses::all();
    for (unsigned round = 0; round < kRounds; ++round) {
      if (!leaves_on_invariant(analyses.getResult<llvm::LoopAnalysis>(function))) break;
      const llvm::PreservedAnalyses left = unswitch_.run(function, analyses);
      if (left.areAllPreserved()) break;
      preserved.intersect(left);
      preserved.intersect(hoist_.run(function, analyses));
    }
    return preserved;
  }

private:
  static constexpr unsigned kRounds = 3; // a check of the storage, of the length, and one more

  // Whether a branch or switch on an invariant value leaves a loop.
  static bool leaves_on_invariant(const llvm::LoopInfo& loops) {
    return std::ranges::any_of(loops.getLoopsInPreorder(), [](const llvm::Loop* loop) {
      llvm::SmallVector<llvm::BasicBlock*> exiting;
      loop->getExitingBlocks(exiting);
      return std::ranges::any_of(exiting, [&](const llvm::BasicBlock* block) {
        const llvm::Value* const decides = decided_by(*block->getTerminator());
        return decides != nullptr && loop->isLoopInvariant(decides);
      });
    });
  }

  static const llvm::Value* decided_by(const llvm::Instruction& terminator) {
    if (const auto* const choice = llvm::dyn_cast<llvm::SwitchInst>(&terminator))
      return choice->getCondition();
    const auto* const branch = llvm::dyn_cast<llvm::BranchInst>(&terminator);
    return branch != nullptr && branch->isConditional() ? branch->getCondition() : nullptr;
  }

  llvm::FunctionPassManager unswitch_, hoist_;
};

} // namespace

Optimizer::Optimizer()
    : fast_(make_target(llvm::CodeGenOptLevel::None)),
      good_(make_target(llvm::CodeGenOptLevel::Default)) {}

Optimizer::~Optimizer() = default;

void Optimizer::prepare(llvm::Module& module) const {
  module.setTargetTriple(good_->getTargetTriple().str());
  module.setDataLayout(good_->createDataLayout());
}

void Optimizer::optimize(llvm::Module& module, unsigned level,
                         std::vector<PassChange>* changes) const {
  std::optional<PassLog> log;
  if (changes != nullptr) log.emplace(module, *changes);
  if (level == 0) return;
  llvm::PassInstrumentationCallbacks callbacks;
  if (log) log->attach(callbacks);
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager components;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.SLPVectorization = true; // the values of a new array as one vector
  llvm::PassBuilder passes(good_.get(), tuning, {}, log ? &callbacks : nullptr);
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(components);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, components, modules);
  if (level >= 2)
    passes.registerScalarOptimizerLateEPCallback(
        [](llvm::FunctionPassManager& late, llvm::OptimizationLevel) {
          late.addPass(UnswitchInvariantExits());
        });
  const llvm::OptimizationLevel levels[] = {
      llvm::OptimizationLevel::O1, llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  passes.buildPerModuleDefaultPipeline(levels[std::min(level, 3U) - 1]).run(module, modules);
}

void Optimizer::simplify_branches(llvm::Function& function) const {
  llvm::FunctionAnalysisManager analyses;
  analyses.registerPass([] { return llvm::PassInstrumentationAnalysis(); });
  analyses.registerPass([] { return llvm::AssumptionAnalysis(); });
  analyses.registerPass([] { return llvm::DominatorTreeAnalysis(); });
  analyses.registerPass([this] { return good_->getTargetIRAnalysis(); });
  llvm::SimplifyCFGPass(llvm::SimplifyCFGOptions()).run(function, analyses);
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

// --- Stubs for runtime functions ---

#ifndef __x86_64__
#error "native/llvm_lowering is for x86-64: configure with SOURIR_LLVM=OFF"
#endif

extern "C" {
void sourir_values_as_second();
void sourir_values_as_fourth();
void sourir_values_as_fifth();
void sourir_values_as_third_and_fourth();
void sourir_preserving_values_only();
void sourir_preserving_values_as_fourth_and_fifth();
}

// The first value lies after the return address.
asm(R"(
  .text
  .hidden sourir_values_as_second
  .hidden sourir_values_as_fourth
  .hidden sourir_values_as_fifth
  .hidden sourir_values_as_third_and_fourth
  .hidden sourir_preserving_values_only
  .hidden sourir_preserving_values_as_fourth_and_fifth
  .globl sourir_values_as_second
  .globl sourir_values_as_fourth
  .globl sourir_values_as_fifth
  .globl sourir_values_as_third_and_fourth
  .globl sourir_preserving_values_only
  .globl sourir_preserving_values_as_fourth_and_fifth
sourir_values_as_second:
  leaq 8(%rsp), %rsi
  jmp *%r9
sourir_values_as_fourth:
  leaq 8(%rsp), %rcx
  jmp *%r9
sourir_values_as_fifth:
  leaq 8(%rsp), %r8
  jmp *%r9
sourir_values_as_third_and_fourth:
  leaq 8(%rsp), %rdx
  leaq 24(%rsp), %rcx
  jmp *%r9
.macro sourir_call_preserving pointers
  pushq %rcx
  pushq %rsi
  pushq %rdi
  pushq %r8
  pushq %r9
  pushq %r10
  subq $8, %rsp
  .if \pointers
  leaq 64(%rsp), %rcx
  leaq 80(%rsp), %r8
  .else
  movq 64(%rsp), %rdi
  movq 72(%rsp), %rsi
  movq 80(%rsp), %rdx
  movq 88(%rsp), %rcx
  .endif
  callq *%r9
  addq $8, %rsp
  popq %r10
  popq %r9
  popq %r8
  popq %rdi
  popq %rsi
  popq %rcx
  retq
.endm
sourir_preserving_values_only:
  sourir_call_preserving 0
sourir_preserving_values_as_fourth_and_fifth:
  sourir_call_preserving 1
)");

namespace sourir::native {

std::span<const Stub> runtime_stubs() {
  static constexpr Stub kStubs[] = {
      {"rt_allocate_of", sourir_values_as_second},
      {"rt_dispatched_call", sourir_values_as_second},
      {"rt_out_of_fuel", sourir_values_as_fourth},
      {"rt_deoptimize", sourir_values_as_fifth},
      {"rt_bailout", sourir_values_as_fifth},
      {"rt_deoptimize_osr", sourir_values_as_fifth},
      {"rt_bailout_osr", sourir_values_as_fifth},
      {"rt_tier_up_osr", sourir_values_as_fifth},
      {"rt_call", sourir_values_as_third_and_fourth},
      {"rt_store", sourir_preserving_values_as_fourth_and_fifth, true},
      {"rt_load", sourir_preserving_values_only, true, false},
  };
  return kStubs;
}

} // namespace sourir::native
