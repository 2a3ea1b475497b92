// One transition: find the rule that applies, check the limits, apply its effect.
#pragma once

#include "sourir/semantics/apply.h"

#include <string>

namespace sourir {

enum class StepStatus : std::uint8_t { Stepped, Stopped, Stuck, AtLimit };

struct StepResult {
  StepStatus status = StepStatus::Stepped;
  const RuleRow *rule = nullptr; // the rule that fired
  Action action;
  StuckReason why = StuckReason::None;
  Limit limit = Limit::None;
};

// Does one step. Stopped: `stop` was just done. Stuck and AtLimit change nothing. A print appends
// its text (without a newline) to `printed`. With `undo`, fills it when a step was done.
StepResult step(Config &c, std::string &printed, Undo *undo = nullptr);

// The rule that would fire, and its transition, without doing it; null when stuck.
struct Next {
  const RuleRow *rule = nullptr;
  Derivation derivation;
};
Next next(const Config &c);

// Appends the value as `print` shows it: arrays deep, [..] inside themselves as [...]. False if
// that takes more than `limit` bytes (what fits may have been appended). Iterative.
bool render(std::string &out, Value value, const Heap &heap, const Names &names,
            std::uint64_t limit = ~std::uint64_t{0});
// For people: as above, cut after `limit` bytes with "...".
std::string show(Value value, const Heap &heap, const Names &names, std::size_t limit = 200);

} // namespace sourir
