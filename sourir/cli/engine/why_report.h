// `run --why F`: the answers as text and JSON (docs/schemas/why.schema.json).
// Errors: none. Threads: any.
#pragma once

#include "sourir/cli/engine/engine_setup.h"
#include "sourir/cli/engine/why_history.h"

#include <string>

namespace sourir {

// The run that the answers are about.
struct WhyRun {
  std::string engine; // reference, baseline, native or auto
  const TierOptions& tiers;
};

std::string why_text(const WhyAnswer& answer, const WhyRun& run);
nlohmann::ordered_json why_json(const WhyAnswer& answer, const WhyRun& run);
// As the last lines of the log of --tiers=json, one for each answer.
std::string why_line(const WhyAnswer& answer, const WhyRun& run);

} // namespace sourir
