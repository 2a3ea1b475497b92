// A JSON text as a small tree that knows where each value stands, read within limits, so that no
// text can exhaust the stack or, by much, the memory. Internal to the JSON forms.
#pragma once

#include "sourir/syntax/source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace sourir {

struct JsonMember;

struct JsonNull {};
struct JsonOtherNumber {}; // negative, or not an integer: no form of ours has any
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

// The tree, or empty and what is wrong. A key that stands twice in an object is an error.
std::optional<JsonValue> read_json(std::string_view text, JsonProblem& problem,
                                   const JsonLimits& limits = {});

} // namespace sourir
