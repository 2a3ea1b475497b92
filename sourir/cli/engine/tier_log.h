// `run --tiers`: the events of the tiers as text or JSON lines (docs/schemas/tiers.schema.json).
// Errors: none. Threads: any, with the lock of the names held.
#pragma once

#include "native/tiering/native_settings.h"

#include <string>

namespace sourir {

enum class TierForm : std::uint8_t {
  Text,     // a line for each event, and those of the feedback of a new version
  Versions, // the same, the text of each new version, and the frames of each exit
  JsonLines,
};

// With the end of its last line.
std::string tier_log(const native::TierEvent& event, TierForm form, const Names& names);

// The last line of a log without a compilation, as JSON.
std::string nothing_compiled_line(const std::string& advice);

} // namespace sourir
