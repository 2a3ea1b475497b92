// Names and places of code that counts events, for reports.
#pragma once

#include "native/runtime/optimized_version.h"
#include "profiler/event_code.h"

namespace sourir::native {

// Fills in function, version, listing and places. `optimized`: the version is a stream of it; null:
// it is of the program. With the lock of the names held.
void identify(profiler::EventCode& code, const ResolvedVersion& version,
              const OptimizedVersion* optimized, const Names& names);

} // namespace sourir::native
