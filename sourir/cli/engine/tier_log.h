// `run --tiers`: what the tiers did while a program ran, as text or JSON lines
// (docs/schemas/tiers.schema.json), on standard error.
#pragma once

#include "native/tiering/tier_event.h"

#include <string>

namespace sourir {

enum class TierForm : std::uint8_t {
  Text,     // a line for each event
  Versions, // the same, and each new version in the language
  Json,
};

// With the end of its last line.
std::string tier_log(const native::TierEvent& event, TierForm form, const Names& names);

} // namespace sourir
