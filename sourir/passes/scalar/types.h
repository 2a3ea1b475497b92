// Type inference: tests of types, and comparisons of values that cannot have the same type, become
// literals; guards and asserts that hold by their types are removed. Nothing is known of the
// elements of arrays, nor at roots other than the start.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> fold_types(const PassInput& input);

} // namespace sourir
