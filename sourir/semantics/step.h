// One transition: find the rule that applies, check the limits, apply its effect.
#pragma once

#include "sourir/semantics/render.h"
#include "sourir/semantics/rules.h"

#include <string>

namespace sourir {

// Applying the effect of a transition, and undoing it. apply then undo is the identity.

// What an effect overwrote: enough to undo it, of the size of the effect.
struct Undo {
  std::size_t effect = 0; // index into Effect
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
  Slot slot = 0;             // Bind, Unbind, Allocate, Pop
  Address array;             // Store
  std::size_t index = 0;     // Store
  Value old;                 // what slot or element held
  std::vector<Value> window; // the environment that Pop or Replace removed
  std::size_t frames = 0;    // pushed by Replace
  std::size_t blocks = 0;    // allocated by Replace
  std::uint64_t opportunities = 0, input_position = 0, output_bytes = 0;
  bool returned = false;
};

// Takes the transition apart. With `undo`, fills it. Counts the step, the input and the
// opportunity; `printed` is the number of bytes that a print wrote.
void apply(Config& c, Transition&& t, std::uint64_t printed, Undo* undo);
// Takes the last applied transition back.
void undo(Config& c, Undo&& u);

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
