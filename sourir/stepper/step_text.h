// The answers of the stepper as text for people and as JSON (docs/schemas/step.schema.json).
#pragma once

#include "sourir/stepper/step_session.h"
#include "sourir/stepper/step_view.h"

namespace sourir {

// Lines, each ended.
std::string to_text(const StepView& view);

std::string here_line(const HereView& here);         // "12  main.V1.L  line 7: print x"
std::string frame_line(const StackFrameView& frame); // "1 main.V1.L, x = $  [y = 1]"
std::string environment_line(const std::vector<VariableView>& environment); // "[y = 1, z = 2]"
// RuleView without the instruction.
std::string rule_text(const RuleView& rule);
std::string step_text(const StepLine& step);
std::string why_text(const MoveView& move); // why it ended, one line; empty: it arrived

// One JSON object on a line of its own.
std::string to_json(const StepReply& reply, const Names& names);

} // namespace sourir
