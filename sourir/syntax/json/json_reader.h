// Reading JSON, for the JSON forms: a tree whose values have their spans, and a reader of the tree
// that reports every value that is not of the expected shape.
#pragma once

#include "sourir/syntax/ids.h"
#include "sourir/syntax/source.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <variant>
#include <vector>

namespace sourir {

// --- the tree

struct JsonMember;

struct JsonNull {};
struct JsonOtherNumber {}; // negative, or not an integer: in none of the JSON forms
struct JsonValue {
  std::variant<JsonNull, bool, std::uint64_t, JsonOtherNumber, std::string, std::vector<JsonValue>,
               std::vector<JsonMember>>
      data;
  Span where; // of an array or object: its opening bracket
};
using JsonArray = std::vector<JsonValue>;
using JsonObject = std::vector<JsonMember>;

struct JsonMember {
  std::string key;
  JsonValue value;
};

// Limits of a text, so that none exhausts the stack or the memory.
struct JsonLimits {
  std::size_t depth = 64;                    // brackets inside brackets
  std::size_t keys = 64;                     // of one object
  std::size_t values = std::size_t{1} << 25; // in all
};

struct JsonProblem {
  Span where;
  std::string message;
  bool too_large = false;
};

// The tree; or empty, with the problem. A key that occurs twice in an object is an error.
std::optional<JsonValue> read_json(std::string_view text, JsonProblem& problem,
                                   const JsonLimits& limits = {});

// --- its reader

// A member of an object: its key, whether it is required, and the reader of its value.
template <class Read>
struct JsonPart {
  std::string_view key;
  bool required;
  Read read;
};
template <class Read>
JsonPart<Read> needs(std::string_view key, Read read) {
  return {key, true, std::move(read)};
}
template <class Read>
JsonPart<Read> may_have(std::string_view key, Read read) {
  return {key, false, std::move(read)};
}

// Reports a value of another shape than the expected one with a JSON pointer, and returns a neutral
// value for it.
class JsonReader {
public:
  static constexpr std::size_t kMaxProblems = 20;
  using Report = std::function<void(Span, std::string)>;

  JsonReader(Names& names, Report report) : names_(names), report_(std::move(report)) {}

  // If true, nothing more is reported, and lists are not read further.
  bool full() const { return problems_ >= kMaxProblems; }
  std::size_t problems() const { return problems_; }

  // "/functions/0/name: expected a name, found a number"
  void expected(const JsonValue& value, std::string_view what);
  void problem(Span where, std::string_view message);

  bool flag(const JsonValue& value);
  std::uint32_t number(const JsonValue& value);
  std::string_view text(const JsonValue& value);
  // Expects exactly this text (or number).
  void constant(const JsonValue& value, std::string_view text);
  void constant(const JsonValue& value, std::uint64_t number);
  // An identifier that is no reserved word.
  template <class N>
  N name(const JsonValue& value) {
    return N{name_id(value)};
  }

  // Calls read(element) for each element of an array.
  template <class Read>
  void each(const JsonValue& value, Read&& read) {
    const auto* array = std::get_if<JsonArray>(&value.data);
    if (array == nullptr) return expected(value, "an array");
    for (std::size_t i = 0; i < array->size() && !full(); ++i) {
      path_.emplace_back(i);
      read((*array)[i]);
      path_.pop_back();
    }
  }

  // Reads the parts of an object in the order in which they are given; every other key is an error.
  template <class... Reads>
  void object(const JsonValue& value, const JsonPart<Reads>&... parts) {
    const auto* object = std::get_if<JsonObject>(&value.data);
    if (object == nullptr) return expected(value, "an object");
    (part(value, *object, parts), ...);
    for (const JsonMember& m : *object)
      if (((m.key != parts.key) && ...)) unknown_key(m);
  }

  // Calls read() with the pointer of messages one key deeper.
  template <class Read>
  auto within(std::string_view key, Read&& read) {
    path_.emplace_back(key);
    const auto result = read();
    path_.pop_back();
    return result;
  }

  // The value of a key; null if the value is no object or has no such key.
  static const JsonValue* find(const JsonValue& value, std::string_view key);

  Names& names() { return names_; }

private:
  template <class Read>
  void part(const JsonValue& value, const JsonObject& object, const JsonPart<Read>& part) {
    for (const JsonMember& m : object)
      if (m.key == part.key) {
        path_.emplace_back(part.key);
        part.read(m.value);
        path_.pop_back();
        return;
      }
    if (part.required) missing_key(value, part.key);
  }
  void unknown_key(const JsonMember& member);
  void missing_key(const JsonValue& object, std::string_view key);
  std::uint32_t name_id(const JsonValue& value);
  std::string pointer() const;

  Names& names_;
  Report report_;
  std::vector<std::variant<std::string_view, std::size_t>> path_;
  std::unordered_set<std::uint32_t> good_names_; // those that have been checked
  std::size_t problems_ = 0;
};

} // namespace sourir
