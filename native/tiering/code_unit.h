// What the tiers know of the code of one function, loop or target of exits.
#pragma once

#include "native/runtime/native_code.h"
#include "native/tiering/tiering_policy.h"

#include <vector>

namespace sourir::native {

struct CodeUnit {
  CodeHistory history;
  // The code that the first recompilation for samples replaced: it may be reinstated.
  std::vector<const NativeCode*> set_aside;
  // The versions whose samples the code was made from.
  std::vector<const ResolvedVersion*> samples_of;
  std::uint64_t exits_of_code = 0; // since code was installed or reinstated, for the statistics
};

} // namespace sourir::native
