// --trace: every step of a run, as aligned text or as JSON lines (docs/schemas/trace.schema.json).
#pragma once

#include "sourir/os/output.h"
#include "sourir/stepper/trace_effect.h"

#include <string>
#include <string_view>

namespace sourir {

class Tracer {
public:
  enum class Form : std::uint8_t { Text, Json };

  // Keeps references. Text: columns are as wide as the program needs.
  Tracer(const TextPlaces& places, const LinkedProgram& program, Output& out, Form form);

  // Before the first step.
  void begin(const Config& c);
  // The line that the step which is told next has printed.
  void printed(std::string_view line);
  // After each step.
  void step(const Config& c, const StepResult& r, const ResolvedVersion* code, Pc pc);
  // The outcome as one line of JSON. Text: nothing, it stands in the message.
  void end(const std::string& outcome);

private:
  void step_text(const Config& c, const StepResult& r, const ResolvedVersion& code, Pc pc);
  void step_json(const Config& c, const StepResult& r, const ResolvedVersion& code, Pc pc);

  const TextPlaces& places_;
  Output& out_;
  Form form_;
  ComingStep coming_;
  std::string printed_;
  std::size_t place_width_ = 0, instruction_width_ = 0;
};

} // namespace sourir
