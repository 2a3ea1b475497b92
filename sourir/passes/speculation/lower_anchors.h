// Removes anchors ("in the last step of the pipeline", dissertation 2.8): never to leave there is
// one of the ways in which the program could go on. Labels that nothing uses any more go with them.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> lower_anchors(const PassInput& input);

} // namespace sourir
