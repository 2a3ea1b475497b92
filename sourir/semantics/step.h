// One transition: find the rule that applies, check the limits, apply its effect.
#pragma once

#include "sourir/semantics/apply.h"
#include "sourir/semantics/render.h"

#include <string>

namespace sourir {

enum class StepStatus : std::uint8_t { Stepped, Stopped, Stuck, AtLimit };

struct StepResult {
  StepStatus status = StepStatus::Stepped;
  const RuleRow* rule = nullptr; // the rule that fired
  Action action;
  StuckReason why = StuckReason::None;
  Limit limit = Limit::None;
};

// Does one step. Stopped: `stop` was just done. Stuck and AtLimit change nothing. A print appends
// its text (without a newline) to `printed`. With `undo`, fills it when a step was done.
StepResult step(Config& c, std::string& printed, Undo* undo = nullptr);

// The rule that would fire, and its transition, without doing it; null when stuck.
struct Next {
  const RuleRow* rule = nullptr;
  Derivation derivation;
};
Next next(const Config& c);

} // namespace sourir
