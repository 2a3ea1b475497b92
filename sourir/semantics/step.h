// Single steps: the rule that applies, the check of limits, and its effect applied or undone.
#pragma once

#include "sourir/semantics/render.h"
#include "sourir/semantics/rules.h"

#include <string>

namespace sourir {

// What an effect overwrote: enough to undo it, of the size of the effect.
struct Undo {
  std::size_t effect = 0; // index into Effect
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
  Slot slot = 0;             // Bind, Unbind, Allocate, Pop
  Address array;             // Store
  std::size_t index = 0;     // Store
  Value old;                 // the former value of the slot or element
  std::vector<Value> window; // the environment that Pop or Replace removed; MoveInto: environments
  std::size_t frames = 0;    // pushed by Replace
  std::vector<Continuation> callers; // MoveInto: those that it removed
  std::size_t base = 0;              // MoveInto: of the current frame
  std::size_t blocks = 0;            // allocated by Replace
  std::uint64_t opportunities = 0, input_position = 0, output_bytes = 0, events = 0;
  std::size_t grown = 0;
  bool returned = false;
  std::vector<Watch> watches; // of the top frame: Pop, Replace, SetWatches; MoveInto: of all
  std::vector<ElementCell> first_watched;   // SetWatches: elements not watched before
  std::optional<std::uint64_t> last_change; // Store: of an element that was watched
};

// Applies the effect and counts the step, the input and the opportunity; `printed` is the number of
// bytes that a print wrote. If `undo` is not null, fills it.
void apply(Config& c, Transition&& t, std::uint64_t printed, Undo* undo);
// Restores the configuration before the last apply, which filled `u`.
void undo(Config& c, Undo&& u);

enum class StepStatus : std::uint8_t { Stepped, Stopped, Stuck, AtLimit };

struct StepResult {
  StepStatus status = StepStatus::Stepped;
  const RuleRow* rule = nullptr; // the rule that fired
  Action action;
  StuckReason why = StuckReason::None;
  Limit limit = Limit::None;
};

// Makes one step. Stopped: the program has stopped, by this step or before (then `rule` is null).
// Stuck and AtLimit change nothing. A print appends its text (without a newline) to `printed`. If
// `undo` is not null and a step is made, fills it.
StepResult step(Config& c, std::string& printed, Undo* undo = nullptr);

// The rule that fires next, and its transition, which is not applied; null when stuck.
struct Next {
  const RuleRow* rule = nullptr;
  Derivation derivation;
};
Next next(const Config& c);

} // namespace sourir
