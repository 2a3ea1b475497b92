// The normal form of every version, also of those that exits enter: labels and gotos are added;
// names that are declared again get new ones, and so do the bindings of exits that enter there.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> normalize(const PassInput& input);

} // namespace sourir
