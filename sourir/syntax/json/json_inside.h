// Programs and state maps that stand inside another JSON document.
#pragma once

#include "sourir/syntax/json/json_reader.h"
#include "sourir/syntax/state_map.h"
#include "sourir/syntax/text/parser.h"

namespace sourir {

// What could be read; complete only if the reader has no problem.
Parsed read_program(const JsonValue& value, JsonReader& json);
StateMap read_state_map(const JsonValue& value, JsonReader& json);

} // namespace sourir
