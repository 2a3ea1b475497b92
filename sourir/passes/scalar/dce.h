// Dead code elimination. A variable that nothing needs is removed with all that only sets it, and
// so are assignments whose value is dead; a value that only exits need is rebuilt in their varmaps
// instead of being kept alive. Instructions that may fail or have an effect stay.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> dce(const PassInput& input);

} // namespace sourir
