// Where a frame of a version that was made at run time is in the program as it was written.
#pragma once

#include "native/runtime/optimized_version.h"

namespace sourir::native {

struct SourcePlace {
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
};

// The places of the frames that the frame at `pc` of one of the added streams stands for, innermost
// first; at least one. Waiting: pc is behind its call, as are the results. What the map does not
// say is at the start of the version that was there before.
std::vector<SourcePlace> source_places(const OptimizedVersion& added, const ResolvedVersion& code,
                                       const LinkedProgram& running, Pc pc, bool waiting);

} // namespace sourir::native
