// Removes anchors ("in the last step of the pipeline", dissertation 2.8): not to take their exits
// is one of the behaviours of the program. Labels that are unused then are removed, too.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> lower_anchors(const PassInput& input);

} // namespace sourir
