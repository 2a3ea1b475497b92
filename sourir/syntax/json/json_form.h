// The JSON forms of programs (.sou.json) and of state maps; schemas:
// docs/schemas/program.schema.json and state_map.schema.json. Values are tagged, {"int": "42"}; a
// key that is absent means its default. The program form is lossless: from_json(to_json(p)) == p,
// comments, spans and sigils included, for all that the parser makes.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/result.h"
#include "sourir/syntax/state_map.h"
#include "sourir/syntax/text/parser.h"

#include <string>
#include <string_view>

namespace sourir {

struct JsonValue;
class JsonReader;

std::string to_json(const Program& program, const SourceMap& spans, const Names& names);
// What could be read, complete only if `problems` got no error: BadJson, at the place in the source
// and with a JSON pointer in the message, at most 20; or TooLarge (over 2^25 values). Spans of a
// statement that do not fit it any more (a foreign pass changed it) count as absent.
Parsed from_json(const Source& source, Names& names, Diagnostics& problems);
// Text that starts with '{' and then '"' (blanks between allowed) is the JSON form.
bool looks_like_json(std::string_view text);

std::string to_json(const StateMap& map, const Names& names);
// The error may have several lines, one a problem.
Result<StateMap> state_map_from_json(std::string_view text, Names& names);

// Programs and state maps inside another JSON document (json_reader.h): what could be
// read, complete only if the reader has no problem.
Parsed read_program(const JsonValue& value, JsonReader& json);
StateMap read_state_map(const JsonValue& value, JsonReader& json);

} // namespace sourir
