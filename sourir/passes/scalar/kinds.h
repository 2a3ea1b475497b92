// Kind inference: tests of kinds, and comparisons of values that cannot have the same kind, become
// literals; guards and asserts that are known to hold by them go. Facts about elements of arrays
// are none, and roots other than the start begin without any.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> kinds(const PassInput& input);

} // namespace sourir
