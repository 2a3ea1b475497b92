// The passes as the tiers of a running program use them (native/runtime/optimizer.h).
#pragma once

#include "native/tiering/optimizer.h"
#include "sourir/passes/pipeline.h"

namespace sourir {

// `pipeline` is applied to one function at a time; it should begin with fresh-version.
native::Optimizer tier_optimizer(Pipeline pipeline);

} // namespace sourir
