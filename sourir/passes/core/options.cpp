#include "sourir/passes/core/options.h"

#include "sourir/syntax/text/lexer.h"
#include "sourir/syntax/text/parser.h"

#include <algorithm>
#include <charconv>

namespace sourir {
namespace {

// check(part) for each part between separators, until it returns false.
template <class Check>
bool each_part(std::string_view text, char separator, Check&& check) {
  for (std::size_t end = 0; end != std::string_view::npos; text.remove_prefix(end + 1)) {
    end = text.find(separator);
    if (!check(text.substr(0, end))) return false;
    if (end == std::string_view::npos) break;
  }
  return true;
}

bool is_choice(std::string_view value, std::string_view choices) {
  return !each_part(choices, '|', [&](std::string_view choice) { return choice != value; });
}

bool is_name(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && letter(text.front()) && std::ranges::all_of(text, inner) &&
         !is_reserved(reserved_word(text));
}

bool is_expression(std::string_view text) {
  Names names;
  return parse_expr(text, names).has_value();
}

} // namespace

std::optional<std::uint64_t> whole_number(std::string_view text) {
  std::uint64_t n = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, n);
  if (text.empty() || parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return n;
}

std::string quoted(std::string_view text) { return "'" + std::string(text) + "'"; }

std::string value_problem(const OptionRow& row, std::optional<std::string_view> value) {
  const std::string name(row.name);
  const auto among = [&](char c) { return row.value.find(c) != std::string_view::npos; };
  if (row.value.empty()) {
    if (!value || *value == "true" || *value == "false") return {};
    return name + " is a switch: true or false, not " + quoted(*value);
  }
  if (!value || value->empty())
    return name + " needs a value: " + name + "=" + std::string(row.value);
  if (row.value == "N" && !whole_number(*value)) return quoted(*value) + " is not a whole number";
  if ((row.value == "NAME" || row.value == "LABEL") && !is_name(*value))
    return quoted(*value) + " is not a name";
  if (row.value == "PREDICATE" && !is_expression(*value))
    return quoted(*value) + " is not an expression";
  if (among('|') && !is_choice(*value, row.value))
    return name + " is one of " + std::string(row.value) + ", not " + quoted(*value);
  if (among('+') && row.value != "E+E" && !each_part(*value, '+', is_name))
    return quoted(*value) + " is not a list of names: " + name + "=" + std::string(row.value);
  return {};
}

std::string_view PassOptions::text(std::string_view name, std::string_view otherwise) const {
  for (auto entry = entries_.rbegin(); entry != entries_.rend(); ++entry)
    if (entry->first == name) return entry->second;
  return otherwise;
}

bool PassOptions::has(std::string_view name) const {
  for (const auto& [key, value] : entries_)
    if (key == name) return true;
  return false;
}

bool PassOptions::flag(std::string_view name) const { return has(name) && text(name) != "false"; }

std::uint64_t PassOptions::number(std::string_view name, std::uint64_t otherwise) const {
  return whole_number(text(name)).value_or(otherwise);
}

std::vector<std::string_view> PassOptions::list(std::string_view name) const {
  std::vector<std::string_view> parts;
  std::string_view rest = text(name);
  while (!rest.empty()) {
    const std::size_t plus = rest.find('+');
    parts.push_back(rest.substr(0, plus));
    rest = plus == std::string_view::npos ? "" : rest.substr(plus + 1);
  }
  return parts;
}

} // namespace sourir
