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

  void add(std::string_view line) {
    if (line.starts_with("\t.section") || line == "\t.text") {
      debug_ = line.find(".debug") != std::string_view::npos ||
               line.find(".note") != std::string_view::npos;
      return;
    }
    if (debug_ || line.empty()) return;
    if (line.starts_with("\t.loc")) return begin(line);
    if (line.starts_with("\t.") && !is_one_of(first_word(line), kData)) return;
    for (const std::string_view unused : {".Ltmp", ".Lfunc_", ".Lsec_", ".Lcfi"})
      if (line.starts_with(unused)) return;
    if (line.starts_with('\t') && !line.starts_with("\t.")) show_instruction();
    text_.append(line).append("\n");
  }
  std::string take() && { return std::move(text_); }

private:
  static constexpr std::string_view kData =
      ".quad .long .short .byte .zero .ascii .asciz .value .octa";

  void begin(std::string_view loc) {
    const auto line = line_number(loc);
    if (line && *line > 0 && *line <= code_.source->body.size()) next_ = *line - 1;
  }
  void show_instruction() {
    if (next_ == shown_) return;
    shown_ = next_;
    text_ += fmt::format("# +{}: {}\n", *shown_, instruction_text(code_, *shown_, names_));
  }

  const ResolvedVersion& code_;
  const Names& names_;
  std::optional<Pc> next_, shown_;
  bool debug_ = false;
  std::string text_;
};

} // namespace

std::string assembly_listing(const std::string& assembly, const ResolvedVersion& code,
                             const Names& names) {
  AssemblyLines listing(code, names);
  std::string_view rest = assembly;
  while (!rest.empty()) {
    const std::size_t end = std::min(rest.find('\n'), rest.size());
    listing.add(rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::move(listing).take();
}

} // namespace sourir
