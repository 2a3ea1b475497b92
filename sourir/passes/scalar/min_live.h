// The shortest live ranges: every variable is dropped after the last instruction that mentions it,
// or at the beginning of the arm that does not need it, and nowhere else. A drop that only a return
// or stop would follow is omitted.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> min_live(const PassInput& input);

} // namespace sourir
