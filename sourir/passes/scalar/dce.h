// Dead code: variables that nothing needs go with all that only sets them, assignments whose value
// is dead too; a value that only exits need is rebuilt in their varmaps instead of kept alive. What
// may fail, and what has an effect, stays.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> dce(const PassInput& input);

} // namespace sourir
