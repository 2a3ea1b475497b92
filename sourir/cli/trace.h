// `run --trace`: every step of a run as aligned text or as JSON lines
// (docs/schemas/trace.schema.json).
#pragma once

#include "sourir/os/output.h"
#include "sourir/semantics/run.h"
#include "sourir/stepper/text_places.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace sourir {

// The effect of the next step: rules are pure, so it is known before the step.
struct ComingStep {
  std::optional<Effect> effect; // empty: a read, whose input is not taken in advance, or no step
  Slot result = 0;              // the variable that gets the result of a return
  std::string failing;          // "(x is int) is false": the guard by which an assume deoptimizes
};
ComingStep look_ahead(const Config& c);

// A step from position `pc` of `code`; `after` is the configuration after it.
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

class Tracer {
public:
  enum class Form : std::uint8_t { Text, JsonLines };

  // Keeps references. Text: the widths of columns depend on the program.
  Tracer(const TextPlaces& places, const LinkedProgram& program, Output& out, Form form);

  // Before the first step.
  void begin(const Config& c);
  // The line that the current step prints; to be called before step().
  void printed(std::string_view line);
  // After each step.
  void step(const Config& c, const StepResult& r, const ResolvedVersion* code, Pc pc);
  // The outcome as one line of JSON. In form Text nothing: the message has it.
  void end(const std::string& outcome);

private:
  void step_text(const Config& c, const StepResult& r, const ResolvedVersion& code, Pc pc);
  void step_json(const Config& c, const StepResult& r, const ResolvedVersion& code, Pc pc);

  const TextPlaces& places_;
  Output& out_;
  Form form_;
  ComingStep coming_;
  std::string printed_;
  std::size_t rule_width_ = 11, place_width_ = 0, instruction_width_ = 0;
};

} // namespace sourir
