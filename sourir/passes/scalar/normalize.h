// Makes every version normal (language.md section 2, "Labels"), also those that exits enter: labels
// and gotos are added, and names that are declared again get new ones, which the exits that enter
// follow.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> normalize(const PassInput& input);

} // namespace sourir
