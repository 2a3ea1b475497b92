// Labels of a position that come and go, and the comments at them.
#pragma once

#include "sourir/syntax/ast.h"

#include <functional>

namespace sourir {

// Without the labels that `keep` refuses. What was said at one is said at what it named.
Marks keep_labels(const Marks& marks, const std::function<bool(Label)>& keep);

} // namespace sourir
