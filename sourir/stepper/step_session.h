// A session of the stepper without any terminal: commands go in, answers come out.
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
  std::string command; // as it was done, also where it was repeated
  Answer answer = TextView{};
  HereView here; // afterwards
  bool quit = false;

  bool ok() const { return std::holds_alternative<StepView>(answer); }
  // What people see, errors too; lines, each ended.
  std::string text() const;
};

// The commands of a line: `;` stands between them, `#` starts a comment, both outside of strings.
// None of them is empty, so there may be none.
std::vector<std::string_view> commands_in(std::string_view line);

class StepSession {
public:
  // Everything must outlive the session. While `interrupt` is set, every
  // walk ends at its first step; whoever set it clears it.
  StepSession(const StepProgram& program, Input& input, const Schedule& schedule,
              const Limits& limits, bool has_input, const std::atomic<bool>& interrupt);

  // One command; an empty one repeats the last move. No command and no error ends the session or
  // throws.
  StepReply execute(std::string_view line);
  // Everything that the last word of the line could become.
  std::vector<std::string> complete(std::string_view line) const;

  Viewed viewed() const { return {program_, walker_, has_input_}; }
  const StepProgram& program() const { return program_; }
  Walker& walker() { return walker_; }
  const Walker& walker() const { return walker_; }

private:
  const StepProgram& program_;
  Walker walker_;
  bool has_input_;
  std::string last_; // move: what an empty command repeats
};

} // namespace sourir
