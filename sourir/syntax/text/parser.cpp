#include "sourir/syntax/text/parser.h"

#include "sourir/syntax/text/parse_state.h"

namespace sourir {

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

} // namespace

Parsed parse(const Source& source, Names& names, Diagnostics& problems) {
  return Parser(source.text(), names, problems).program();
}

std::optional<Literal> parse_literal(std::string_view text, Names& names) {
  Diagnostics problems;
  return Parser(trimmed(text), names, problems).whole_literal();
}

std::optional<Expr> parse_expr(std::string_view text, Names& names) {
  Diagnostics problems;
  return Parser(trimmed(text), names, problems).whole_expr();
}

std::optional<Place> parse_place(std::string_view text, Names& names) {
  Diagnostics problems;
  return Parser(trimmed(text), names, problems).whole_place();
}

} // namespace sourir
