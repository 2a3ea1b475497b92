// What a step changes, told in words and in JSON. Rules are pure, so the effect of the coming
// step can be looked at before it happens.
#pragma once

#include "sourir/semantics/run.h"
#include "sourir/stepper/text_places.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>

namespace sourir {

// What the step that comes next will change.
struct ComingStep {
  std::optional<Effect> effect; // empty: a read (not asked for before its time), or no step
  Slot waiting = 0;             // the variable that the result of a return goes into
  std::string failing;          // "(x is int) is false": the guard that makes an assume leave
};
ComingStep look_ahead(const Config& c);

// A step that was made at `code`, `pc`; `after` is the configuration that it led to.
struct MadeStep {
  const TextPlaces& places;
  const Config& after;
  const StepResult& result;
  const ResolvedVersion& code;
  Pc pc;
  const ComingStep& coming;
  std::string_view printed; // the line, if it is a print
};
std::string effect_text(const MadeStep& step);
nlohmann::ordered_json effect_json(const MadeStep& step);
nlohmann::ordered_json action_json(const MadeStep& step);

} // namespace sourir
