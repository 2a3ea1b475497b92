// The names of a running program, which the optimizer adds to while the program prints.
#pragma once

#include "sourir/syntax/ids.h"

#include <mutex>

namespace sourir::native {

struct SharedNames {
  Names* names = nullptr; // null: nobody makes new ones
  // Held by whoever makes names, or reads them while others may make some. Taken after any lock of
  // the tiers.
  std::mutex mutex;
};

} // namespace sourir::native
