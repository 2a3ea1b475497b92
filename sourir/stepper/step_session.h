// A session of the stepper, without a terminal: lines of commands to answers as data.
#pragma once

#include "sourir/stepper/step_view.h"

#include <string>
#include <string_view>
#include <vector>

namespace sourir {

struct CommandError {
  std::string message;
};
using Answer = std::variant<StepView, CommandError>;

struct StepReply {
  std::string command; // as executed, also where it was repeated
  Answer answer = TextView{};
  HereView here; // after the command
  bool quit = false;

  bool ok() const { return std::holds_alternative<StepView>(answer); }
  // The answer or the error for people; lines, each ended.
  std::string text() const;
};

// The commands of a line, without empty ones: `;` separates them, `#` starts a comment, both
// outside of strings.
std::vector<std::string_view> commands_in(std::string_view line);

class StepSession {
public:
  // All references must outlive the session. While `interrupt` is set, every walk ends at its first
  // step; the caller clears it.
  StepSession(const StepProgram& program, Input& input, const Schedule& schedule,
              const Limits& limits, bool has_input, const std::atomic<bool>& interrupt,
              const GrowthSchedule* growth = nullptr);

  // Executes one command; an empty one repeats the last move. No command and no error throws or
  // ends the session (`quit` sets StepReply::quit).
  StepReply execute(std::string_view line);
  // All completions of the last word of the line.
  std::vector<std::string> complete(std::string_view line) const;

  ViewContext view_context() const { return {program_, walker_, has_input_}; }
  const StepProgram& program() const { return program_; }
  Walker& walker() { return walker_; }
  const Walker& walker() const { return walker_; }

private:
  const StepProgram& program_;
  Walker walker_;
  bool has_input_;
  std::string last_; // the last move, which an empty command repeats
};

} // namespace sourir
