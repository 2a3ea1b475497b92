// The answers of the stepper as JSON: docs/schemas/step.schema.json.
#pragma once

#include "sourir/stepper/step_session.h"

namespace sourir {

// One object on a line of its own.
std::string to_json(const StepReply& reply, const Names& names);

} // namespace sourir
