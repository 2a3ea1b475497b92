// Lemma 8: an exit to a place where another exit stands goes straight to the target of that one;
// the guards of both are tested. A guard of the second that would have to nest, or to read a
// variable that only a `with` block makes, is omitted: an assume may have fewer guards. If the
// second exit is always taken where the first guards hold, none of its guards is tested here: what
// it leaves unreached is no reason to leave this version.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<PassResult> compose_assumes(const PassInput& input);

} // namespace sourir
