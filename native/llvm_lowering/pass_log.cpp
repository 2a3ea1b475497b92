#include "native/llvm_lowering/pass_log.h"

#include "native/llvm_lowering/event_markers.h"
#include "native/llvm_lowering/ir_lines.h"

#include <llvm/Analysis/LazyCallGraph.h>
#include <llvm/Analysis/LoopInfo.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ModuleSlotTracker.h>
#include <llvm/IR/PassInstrumentation.h>
#include <llvm/Support/xxhash.h>

namespace sourir::native {

namespace {

struct FunctionText {
  std::string text;
  std::uint32_t instructions = 0;
};

// Addresses of the process, `inttoptr (i64 N to ptr)`, as numbers in the order of appearance.
void number_addresses(std::string& text) {
  constexpr std::string_view kBegin = "inttoptr (i64 ";
  std::map<std::string, std::size_t> numbers;
  std::size_t at = 0;
  while ((at = text.find(kBegin, at)) != std::string::npos) {
    at += kBegin.size();
    const std::size_t end = text.find(' ', at);
    const std::size_t number =
        numbers.try_emplace(text.substr(at, end - at), numbers.size()).first->second;
    text.replace(at, end - at, "#" + std::to_string(number));
  }
}

FunctionText text_of(const llvm::Function& function) {
  FunctionText made;
  llvm::ModuleSlotTracker names(function.getParent());
  names.incorporateFunction(function);
  for (const llvm::BasicBlock& block : function) {
    made.text += "block\n";
    for (const llvm::Instruction& i : block) {
      if (is_marker(i)) continue;
      made.text += line_of(i, names) + "\n";
      ++made.instructions;
    }
  }
  number_addresses(made.text);
  return made;
}

bool runs_others(llvm::StringRef pass) {
  return llvm::isSpecialPass(pass, {"PassManager", "PassAdaptor", "PassWrapper"});
}

} // namespace

PassLog::PassLog(llvm::Module& module, std::vector<PassChange>& changes)
    : module_(module), changes_(changes) {
  compare_all("");
}

void PassLog::attach(llvm::PassInstrumentationCallbacks& callbacks) {
  const auto name = [&callbacks](llvm::StringRef pass) {
    const llvm::StringRef known = callbacks.getPassNameForClassName(pass);
    return (known.empty() ? pass : known).str();
  };
  callbacks.registerAfterPassCallback(
      [this, name](llvm::StringRef pass, const llvm::Any& unit, const llvm::PreservedAnalyses&) {
        if (runs_others(pass)) return;
        ++passes_;
        if (const auto* const f = llvm::any_cast<const llvm::Function*>(&unit))
          compare(name(pass), **f);
        else if (const auto* const loop = llvm::any_cast<const llvm::Loop*>(&unit))
          compare(name(pass), *(*loop)->getHeader()->getParent());
        else
          compare_all(name(pass));
      });
  // Of a loop that is there no more.
  callbacks.registerAfterPassInvalidatedCallback(
      [this, name](llvm::StringRef pass, const llvm::PreservedAnalyses&) {
        if (runs_others(pass)) return;
        ++passes_;
        compare_all(name(pass));
      });
}

void PassLog::compare_all(const std::string& pass) {
  for (const llvm::Function& f : module_) compare(pass, f);
}

void PassLog::compare(const std::string& pass, const llvm::Function& function) {
  if (function.isDeclaration()) return;
  const FunctionText now = text_of(function);
  const std::uint64_t hash = llvm::xxh3_64bits(now.text);
  const auto [known, added] = hashes_.try_emplace(&function, hash);
  if (!added && known->second == hash) return;
  known->second = hash;
  changes_.push_back({passes_, pass, function.getName().str(), now.instructions, hash});
}

} // namespace sourir::native
