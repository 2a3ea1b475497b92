// `run --tiers`: the events of the tiers as text or JSON lines (docs/schemas/tiers.schema.json).
// Errors: none. Threads: any, with the lock of the names held.
#pragma once

#include "native/tiering/native_settings.h"

#include <nlohmann/json.hpp>

#include <string>
#include <string_view>

namespace sourir {

enum class TierForm : std::uint8_t {
  Text,     // a line for each event, and those of the feedback of a new version
  Versions, // the same, the text of each new version, and the frames of each exit
  JsonLines,
};

// The event as an object of docs/schemas/tiers.schema.json.
nlohmann::ordered_json tier_record(const native::TierEvent& event, const Names& names);
// A predicate of the feedback, as the log of a compiled version has it; it may be empty.
std::string feedback_line(std::string_view at, std::string_view predicate, std::string_view from);
// Of these a log shows this many as text.
inline constexpr std::size_t kShownFacts = 16;
// The values of the variables that the guard of an exit reads, by variable. Precondition: the event
// has details with a guard.
nlohmann::ordered_json read_values(const native::TierEvent& event, const Names& names);
// Why a request gave no code, of a record with the event "not-compiled".
std::string refusal_text(const nlohmann::ordered_json& record);

// With the end of its last line.
std::string tier_log(const native::TierEvent& event, TierForm form, const Names& names);

// The last line of a log without a compilation, as JSON.
std::string nothing_compiled_line(const std::string& advice);

} // namespace sourir
