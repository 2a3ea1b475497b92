#include "sourir/cli/assembly_listing.h"

#include "sourir/semantics/text/state_text.h"

#include <fmt/format.h>

#include <charconv>
#include <optional>
#include <string_view>

namespace sourir {
namespace {

bool is_one_of(std::string_view word, std::string_view list) {
  for (std::size_t at = 0; at < list.size();) {
    const std::size_t end = std::min(list.find(' ', at), list.size());
    if (list.substr(at, end - at) == word) return true;
    at = end + 1;
  }
  return false;
}

// The word after the tab of a directive or an instruction.
std::string_view first_word(std::string_view line) {
  line.remove_prefix(1);
  return line.substr(0, line.find_first_of(" \t"));
}

// The line of `.loc FILE LINE COLUMN ...`.
std::optional<std::uint32_t> line_number(std::string_view loc) {
  const std::size_t file = loc.find_first_of("0123456789");
  const std::size_t number = file == std::string_view::npos ? file : loc.find(' ', file);
  if (number == std::string_view::npos) return std::nullopt;
  std::uint32_t line = 0;
  const auto end = loc.data() + loc.size();
  if (std::from_chars(loc.data() + number + 1, end, line).ec != std::errc()) return std::nullopt;
  return line;
}

class AssemblyLines {
public:
  AssemblyLines(const ResolvedVersion& code, const Names& names) : code_(code), names_(names) {}
  AssemblyLines(const std::vector<native::IrLine>& ir, const ResolvedVersion& code,
                const Names& names)
      : code_(code), names_(names), ir_(&ir), with_code_(ir.size()) {}

  void add(std::string_view line) {
    if (line.starts_with("\t.section") || line == "\t.text") {
      debug_ = line.find(".debug") != std::string_view::npos ||
               line.find(".note") != std::string_view::npos;
      return;
    }
    if (debug_ || line.empty()) return;
    if (line.ends_with(':') && !line.starts_with(".L")) block_.clear(); // another function
    if (line.starts_with("\t.loc")) return begin(line);
    if (line.starts_with("\t.") && !is_one_of(first_word(line), kData)) return;
    for (const std::string_view unused : {".Ltmp", ".Lfunc_", ".Lsec_", ".Lcfi"})
      if (line.starts_with(unused)) return;
    if (line.starts_with('\t') && !line.starts_with("\t.")) show_instruction();
    text_.append(line).append("\n");
  }
  void add_all(std::string_view assembly) {
    while (!assembly.empty()) {
      const std::size_t end = std::min(assembly.find('\n'), assembly.size());
      add(assembly.substr(0, end));
      assembly.remove_prefix(std::min(end + 1, assembly.size()));
    }
    if (ir_ != nullptr) add_ir_without_code();
  }
  std::string take() && { return std::move(text_); }

private:
  static constexpr std::string_view kData =
      ".quad .long .short .byte .zero .ascii .asciz .value .octa";

  void begin(std::string_view loc) {
    const auto line = line_number(loc);
    if (ir_ != nullptr) return begin_ir(line.value_or(0));
    if (line && *line > 0 && *line <= code_.source->body.size()) next_ = *line - 1;
  }
  void show_instruction() {
    if (ir_ != nullptr && next_ir_ != shown_ir_) show_ir();
    if (next_ && next_ != shown_) show_instruction_of_version();
  }
  void show_instruction_of_version() {
    shown_ = next_;
    text_ += fmt::format("# +{}: {}\n", *shown_, instruction_text(code_, *shown_, names_));
  }

  // line: 0: of no instruction.
  void begin_ir(std::size_t line) {
    next_ir_ = line <= ir_->size() ? line : 0;
    if (next_ir_ != 0) next_ = (*ir_)[next_ir_ - 1].at;
  }
  // With the instruction of the version in front.
  void show_ir() {
    shown_ir_ = next_ir_;
    if (next_ && next_ != shown_) show_instruction_of_version();
    if (next_ir_ == 0) {
      text_ += "#   (of no single LLVM instruction: merged, or added by LLVM)\n";
      return;
    }
    const native::IrLine& line = (*ir_)[next_ir_ - 1];
    if (line.block != block_) text_ += fmt::format("#   {}:\n", line.block);
    block_ = line.block;
    text_ += fmt::format("#     {}\n", line.text);
    with_code_[next_ir_ - 1] = true;
  }
  void add_ir_without_code() {
    std::string rest;
    for (std::size_t i = 0; i < ir_->size(); ++i) {
      const native::IrLine& line = (*ir_)[i];
      if (with_code_[i]) continue;
      const std::string at = line.at ? fmt::format("+{}", *line.at) : "";
      rest += fmt::format("# {:<5} {}: {}\n", at, line.block, line.text);
    }
    if (!rest.empty()) text_ += "# LLVM instructions without machine code of their own:\n" + rest;
  }

  const ResolvedVersion& code_;
  const Names& names_;
  const std::vector<native::IrLine>* ir_ = nullptr; // null: without LLVM instructions
  std::vector<bool> with_code_;                     // by LLVM instruction
  std::size_t next_ir_ = 0, shown_ir_ = 0;          // from 1; 0: none
  std::string block_;                               // of the last LLVM instruction
  std::optional<Pc> next_, shown_;
  bool debug_ = false;
  std::string text_;
};

} // namespace

std::string assembly_listing(const std::string& assembly, const ResolvedVersion& code,
                             const Names& names) {
  AssemblyLines listing(code, names);
  listing.add_all(assembly);
  return std::move(listing).take();
}

std::string assembly_listing(const native::AssemblyOfIr& shown, const ResolvedVersion& code,
                             const Names& names) {
  AssemblyLines listing(shown.lines, code, names);
  listing.add_all(shown.assembly);
  return std::move(listing).take();
}

} // namespace sourir
