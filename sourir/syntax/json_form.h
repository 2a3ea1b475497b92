// The JSON form of programs (.sou.json): lossless with the text, comments and spans included.
// Schema: docs/schemas/program.schema.json. Values are tagged, {"int": "42"}.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/parser.h"
#include "sourir/syntax/state_map.h"

#include <string>
#include <string_view>

namespace sourir {

std::string to_json(const Program &program, const SourceMap &spans, const Names &names);
// What could be read; `problems` gets BadJson with a JSON pointer in its message.
Parsed from_json(const Source &source, Names &names, Diagnostics &problems);
// Text that starts with '{' and then '"' (blanks between allowed) is the JSON form.
bool looks_like_json(std::string_view text);

std::string to_json(const StateMap &map, const Names &names);
std::optional<StateMap> state_map_from_json(std::string_view text, Names &names,
                                            std::string &error);

} // namespace sourir
