#include "sourir/syntax/json/json_reader.h"

#include "sourir/syntax/match.h"
#include "sourir/syntax/text/lexer.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>
#include <limits>
#include <new>

namespace sourir {
namespace {

// Reads bytes for the JSON library and records the position.
struct Tracked {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = const char&;

  const char* at = nullptr;
  const char** reached = nullptr;

  reference operator*() const { return *at; }
  Tracked& operator++() {
    *reached = ++at;
    return *this;
  }
  Tracked operator++(int) {
    const Tracked before = *this;
    ++*this;
    return before;
  }
  friend bool operator==(const Tracked& a, const Tracked& b) { return a.at == b.at; }
};

// "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error while ... -
// unexpected ...; last read: '...'; expected ...": the reader reports the place itself and the
// bytes read may be anything, so both are removed.
std::string reason_of(std::string_view what) {
  if (const auto column = what.find("column "); column != std::string_view::npos)
    if (const auto colon = what.find(": ", column); colon != std::string_view::npos)
      what.remove_prefix(colon + 2);
  const auto last_read = what.find("; last read: ");
  if (last_read == std::string_view::npos) return std::string(what);
  const auto expected = what.rfind("; expected ");
  const bool after = expected != std::string_view::npos && expected > last_read;
  return fmt::format("{}{}", what.substr(0, last_read), after ? what.substr(expected) : "");
}

// Receives the events of the JSON library and builds the tree. Returning false ends the reading.
class TreeBuilder {
public:
  using json = nlohmann::json;

  TreeBuilder(std::string_view text, const JsonLimits& limits, JsonProblem& problem)
      : text_(text), limits_(limits), problem_(problem), reached_(text.data()) {}

  bool build(JsonValue& root) {
    root_ = &root;
    const char* const last = text_.data() + text_.size();
    const Tracked begin{text_.data(), &reached_}, end{last, &reached_};
    return json::sax_parse(begin, end, this);
  }

  bool null() { return add(JsonNull{}); }
  bool boolean(bool value) { return add(value); }
  bool number_integer(json::number_integer_t) { return add(JsonOtherNumber{}); }
  bool number_unsigned(json::number_unsigned_t value) { return add(std::uint64_t{value}); }
  bool number_float(json::number_float_t, const std::string&) { return add(JsonOtherNumber{}); }
  bool string(std::string& value) { return add(std::move(value)); }
  bool binary(json::binary_t&) { return fail("no binary values here"); }
  bool start_object(std::size_t) { return open(JsonObject{}); }
  bool start_array(std::size_t) { return open(JsonArray{}); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    auto& members = std::get<JsonObject>(open_.back()->data);
    const Span where = token();
    if (members.size() >= limits_.keys) return fail_at(where, "an object with too many keys");
    for (const JsonMember& m : members)
      if (m.key == name) return fail_at(where, "a key that stands twice in one object");
    members.push_back({std::move(name), {}});
    return true;
  }

  bool parse_error(std::size_t, const std::string&, const nlohmann::detail::exception& error) {
    const std::uint32_t end = offset(reached_);
    return fail_at({end > 0 ? end - 1 : 0, end}, "not JSON: " + reason_of(error.what()));
  }

private:
  std::uint32_t offset(const char* at) const {
    return static_cast<std::uint32_t>(at - text_.data());
  }
  // The token just read. The library reads one byte past a number; that byte belongs to no later
  // token, except as one of the bytes skipped here.
  Span token() {
    constexpr std::string_view between = " \t\r\n,:]}";
    const auto begin = text_.find_first_not_of(between, end_);
    end_ = offset(reached_);
    if (begin == std::string_view::npos || begin >= end_) return {end_, end_};
    return {static_cast<std::uint32_t>(begin), end_};
  }
  bool fail(std::string message, bool too_large = false) {
    return fail_at(token(), std::move(message), too_large);
  }
  bool fail_at(Span where, std::string message, bool too_large = false) {
    problem_ = {where, std::move(message), too_large};
    return false;
  }
  // The place of the next value.
  JsonValue* slot() {
    if (open_.empty()) return root_;
    if (auto* array = std::get_if<JsonArray>(&open_.back()->data)) return &array->emplace_back();
    return &std::get<JsonObject>(open_.back()->data).back().value;
  }
  template <class Data>
  bool add(Data data) {
    if (++values_ > limits_.values) return fail("a document with too many values", true);
    JsonValue* const value = slot();
    value->where = token();
    value->data = std::move(data);
    last_ = value;
    return true;
  }
  template <class Data>
  bool open(Data data) {
    if (open_.size() >= limits_.depth)
      return fail(fmt::format("brackets nested deeper than {}", limits_.depth));
    if (!add(std::move(data))) return false;
    last_->where.end = std::min(last_->where.end, last_->where.begin + 1);
    open_.push_back(last_);
    return true;
  }
  bool close() {
    open_.pop_back();
    end_ = offset(reached_);
    return true;
  }

  std::string_view text_;
  const JsonLimits& limits_;
  JsonProblem& problem_;
  const char* reached_;
  std::uint32_t end_ = 0; // after the last token
  JsonValue* root_ = nullptr;
  JsonValue* last_ = nullptr;
  std::vector<JsonValue*> open_; // from the outside in
  std::size_t values_ = 0;
};

} // namespace

std::optional<JsonValue> read_json(std::string_view text, JsonProblem& problem,
                                   const JsonLimits& limits) {
  JsonValue root;
  if (!TreeBuilder(text, limits, problem).build(root)) return std::nullopt;
  return root;
}

namespace {

// A text of the file as shown in a message, cut to 40 bytes but not inside a code point.
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
