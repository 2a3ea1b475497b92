#include "sourir/syntax/json/json_reader.h"

#include "sourir/syntax/match.h"
#include "sourir/syntax/text/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sourir {
namespace {

// A text of the file as it is shown in a message: not too long, and not cut inside a code point.
std::string excerpt(std::string_view text) {
  constexpr std::size_t most = 40;
  if (text.size() <= most) return std::string(text);
  std::size_t end = most;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0) == 0x80) --end;
  return std::string(text.substr(0, end)) + "...";
}

std::string found(const JsonValue& value) {
  return match(
      value.data, [](JsonNull) { return std::string("null"); },
      [](bool b) { return std::string(b ? "true" : "false"); },
      [](std::uint64_t n) { return fmt::format("the number {}", n); },
      [](JsonOtherNumber) { return std::string("a number that is no natural number"); },
      [](const std::string& s) { return fmt::format("\"{}\"", excerpt(s)); },
      [](const JsonArray&) { return std::string("an array"); },
      [](const JsonObject&) { return std::string("an object"); });
}

bool is_identifier(std::string_view text) {
  const auto letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  const auto inner = [&](char c) { return letter(c) || (c >= '0' && c <= '9'); };
  return !text.empty() && letter(text.front()) && std::all_of(text.begin(), text.end(), inner);
}

} // namespace

void JsonReader::problem(Span where, std::string_view message) {
  if (full()) return;
  ++problems_;
  const std::string at = pointer();
  report_(where, fmt::format("{}: {}", at.empty() ? "the document" : at, message));
}

void JsonReader::expected(const JsonValue& value, std::string_view what) {
  if (!full()) problem(value.where, fmt::format("expected {}, found {}", what, found(value)));
}

std::string JsonReader::pointer() const {
  std::string text;
  for (const auto& step : path_) {
    text += '/';
    if (const auto* index = std::get_if<std::size_t>(&step))
      text += std::to_string(*index);
    else
      text += std::get<std::string_view>(step);
  }
  return text;
}

void JsonReader::unknown_key(const JsonMember& member) {
  problem(member.value.where, fmt::format("unknown key \"{}\"", excerpt(member.key)));
}

void JsonReader::missing_key(const JsonValue& object, std::string_view key) {
  problem(object.where, fmt::format("the key \"{}\" is missing", key));
}

const JsonValue* JsonReader::find(const JsonValue& value, std::string_view key) {
  const auto* object = std::get_if<JsonObject>(&value.data);
  if (object == nullptr) return nullptr;
  for (const JsonMember& m : *object)
    if (m.key == key) return &m.value;
  return nullptr;
}

bool JsonReader::flag(const JsonValue& value) {
  if (const auto* flag = std::get_if<bool>(&value.data)) return *flag;
  expected(value, "true or false");
  return false;
}

std::uint32_t JsonReader::number(const JsonValue& value) {
  const auto* number = std::get_if<std::uint64_t>(&value.data);
  if (number != nullptr && *number <= std::numeric_limits<std::uint32_t>::max())
    return static_cast<std::uint32_t>(*number);
  expected(value, "a number from 0 to 4294967295");
  return 0;
}

std::string_view JsonReader::text(const JsonValue& value) {
  if (const auto* text = std::get_if<std::string>(&value.data)) return *text;
  expected(value, "a string");
  return {};
}

void JsonReader::constant(const JsonValue& value, std::string_view text) {
  const auto* is = std::get_if<std::string>(&value.data);
  if (is == nullptr || *is != text) expected(value, fmt::format("\"{}\"", text));
}

void JsonReader::constant(const JsonValue& value, std::uint64_t number) {
  const auto* is = std::get_if<std::uint64_t>(&value.data);
  if (is == nullptr || *is != number) expected(value, fmt::format("the number {}", number));
}

std::uint32_t JsonReader::name_id(const JsonValue& value) {
  const auto* text = std::get_if<std::string>(&value.data);
  const bool good = text != nullptr && is_identifier(*text);
  if (!good) {
    expected(value, "a name");
    return names_.intern<Var>("_").id;
  }
  const std::uint32_t id = names_.intern<Var>(*text).id;
  if (good_names_.contains(id)) return id;
  if (is_reserved(reserved_word(*text)))
    expected(value, "a name that is no reserved word");
  else
    good_names_.insert(id);
  return id;
}

} // namespace sourir
