// Declarations next to their first value: a variable whose first value nobody looks at is declared
// where it gets the next one, in the same straight line; and what is dropped only to leave the
// function is not dropped. Inlining leaves such pairs behind.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> late_declarations(const PassInput& input);

} // namespace sourir
