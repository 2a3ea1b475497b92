#include "sourir/syntax/text/latex_text.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace sourir {
namespace {

// U+00C0 to U+00FF as accents and letters that the oldest font encoding has; empty: it has none.
constexpr std::array<std::string_view, 64> kLatin1 = {
    "\\`A",  "\\'A", "\\^A", "\\~A",  "\\\"A",    "{\\AA}",   "{\\AE}",   "\\c{C}",
    "\\`E",  "\\'E", "\\^E", "\\\"E", "\\`I",     "\\'I",     "\\^I",     "\\\"I",
    "",      "\\~N", "\\`O", "\\'O",  "\\^O",     "\\~O",     "\\\"O",    "$\\times$",
    "{\\O}", "\\`U", "\\'U", "\\^U",  "\\\"U",    "\\'Y",     "",         "{\\ss}",
    "\\`a",  "\\'a", "\\^a", "\\~a",  "\\\"a",    "{\\aa}",   "{\\ae}",   "\\c{c}",
    "\\`e",  "\\'e", "\\^e", "\\\"e", "\\`{\\i}", "\\'{\\i}", "\\^{\\i}", "\\\"{\\i}",
    "",      "\\~n", "\\`o", "\\'o",  "\\^o",     "\\~o",     "\\\"o",    "$\\div$",
    "{\\o}", "\\`u", "\\'u", "\\^u",  "\\\"u",    "\\'y",     "",         "\\\"y"};

struct Symbol {
  char32_t code;
  std::string_view latex;
};
constexpr Symbol kSymbols[] = {{U'¬', "$\\neg$"},
                               {U'±', "$\\pm$"},
                               {U'·', "$\\cdot$"},
                               {U'…', "\\dots{}"},
                               {U'–', "--"},
                               {U'—', "---"},
                               {U'‘', "`"},
                               {U'’', "'"},
                               {U'“', "``"},
                               {U'”', "''"},
                               {U'←', "$\\leftarrow$"},
                               {U'→', "$\\rightarrow$"},
                               {U'⇒', "$\\Rightarrow$"},
                               {U'∧', "$\\wedge$"},
                               {U'∨', "$\\vee$"},
                               {U'∘', "$\\circ$"},
                               {U'≠', "$\\neq$"},
                               {U'≤', "$\\leq$"},
                               {U'≥', "$\\geq$"},
                               {U'\u00A0', "~"}};

std::string_view ascii(char c) {
  switch (c) {
  case '\\': return "\\textbackslash{}";
  case '{': return "\\{";
  case '}': return "\\}";
  case '$': return "\\$";
  case '&': return "\\&";
  case '#': return "\\#";
  case '_': return "\\_";
  case '%': return "\\%";
  case '^': return "\\textasciicircum{}";
  case '~': return "\\textasciitilde{}";
  case '<': return "$<$";
  case '>': return "$>$";
  case '|': return "$|$";
  case '"': return "\\texttt{\\char34}";
  case '\'': return "\\texttt{\\char39}";
  case '`': return "\\texttt{\\char96}";
  case '-': return "-{}";
  default: return {};
  }
}

std::string other(char32_t code) {
  if (code >= 0xC0 && code <= 0xFF)
    if (const std::string_view known = kLatin1[code - 0xC0]; !known.empty())
      return std::string(known);
  for (const Symbol& s : kSymbols)
    if (s.code == code) return std::string(s.latex);
  return fmt::format("\\texttt{{U+{:04X}}}", static_cast<std::uint32_t>(code));
}

// The code point at the start of valid UTF-8, which is taken off.
char32_t take(std::string_view& utf8) {
  const auto byte = [&](std::size_t i) {
    return i < utf8.size() ? static_cast<unsigned char>(utf8[i]) : 0U;
  };
  const unsigned lead = byte(0);
  const std::size_t more = lead < 0xC0 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  char32_t code = more == 0 ? lead : lead & (0x3FU >> more);
  for (std::size_t i = 1; i <= more; ++i) code = (code << 6) | (byte(i) & 0x3FU);
  utf8.remove_prefix(std::min(more + 1, utf8.size()));
  return code;
}

} // namespace

std::string latex_text(std::string_view utf8) {
  std::string out;
  while (!utf8.empty()) {
    const char32_t code = take(utf8);
    if (code == '\t')
      out += "~~";
    else if (code < 0x20 || code >= 0x7F)
      out += other(code);
    else if (const auto special = ascii(static_cast<char>(code)); !special.empty())
      out += special;
    else
      out += static_cast<char>(code);
  }
  return out;
}

} // namespace sourir
