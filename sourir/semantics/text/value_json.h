// Values as tagged JSON: {"int": "42"}, {"array": "[1, [2]]"}.
#pragma once

#include "sourir/semantics/step.h"

#include <nlohmann/json.hpp>

namespace sourir {

using Json = nlohmann::ordered_json;

// Arrays are given as `print` shows them, cut after `limit` bytes.
Json value_json(Value value, const Heap& heap, const Names& names, std::size_t limit = 200);
// {"x": VALUE, ...}: what is bound in an environment.
Json environment_json(const ResolvedVersion& code, Env env, const Heap& heap, const Names& names);

// On one line, or indented by two. Never throws: bytes that are not UTF-8 are replaced.
std::string json_line(const Json& json);
std::string json_text(const Json& json);

} // namespace sourir
