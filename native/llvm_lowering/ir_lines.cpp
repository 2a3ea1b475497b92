#include "native/llvm_lowering/ir_lines.h"

#include <llvm/IR/DebugInfoMetadata.h>
#include <llvm/IR/Module.h>
#include <llvm/IR/ModuleSlotTracker.h>
#include <llvm/Support/raw_ostream.h>

namespace sourir::native {

namespace {

std::string block_name(const llvm::BasicBlock& block, llvm::ModuleSlotTracker& names) {
  std::string text;
  llvm::raw_string_ostream out(text);
  block.printAsOperand(out, false, names); // "%loop"
  return text.substr(1);
}

} // namespace

std::string line_of(const llvm::Instruction& instruction, llvm::ModuleSlotTracker& names) {
  std::string text;
  llvm::raw_string_ostream out(text);
  instruction.print(out, names);
  text.resize(std::min(text.find(", !"), text.size()));
  std::string line;
  for (const char c : text) {
    const bool space = c == ' ' || c == '\n';
    if (!space)
      line += c;
    else if (!line.empty() && line.back() != ' ')
      line += ' ';
  }
  const std::size_t digits = line.find_last_not_of("0123456789");
  if (digits + 1 < line.size() && line[digits] == '#') line.resize(digits - 1);
  return line;
}

std::vector<IrLine> number_instructions(llvm::Module& module) {
  std::vector<IrLine> lines;
  llvm::ModuleSlotTracker names(&module);
  for (llvm::Function& function : module) {
    if (function.getSubprogram() == nullptr) continue;
    names.incorporateFunction(function);
    for (llvm::BasicBlock& block : function) {
      const std::string label = block_name(block, names);
      for (llvm::Instruction& instruction : block) {
        const llvm::DebugLoc place = instruction.getDebugLoc();
        IrLine& line = lines.emplace_back();
        if (place && place.getLine() != 0) line.at = place.getLine() - 1;
        line.block = label;
        line.text = line_of(instruction, names);
        instruction.setDebugLoc(llvm::DILocation::get(
            module.getContext(), static_cast<unsigned>(lines.size()), 0, function.getSubprogram()));
      }
    }
  }
  return lines;
}

} // namespace sourir::native
