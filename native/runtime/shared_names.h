// The names of a running program, to which the optimizer adds while the program prints, and their
// lock.
#pragma once

#include "sourir/syntax/ids.h"

#include <mutex>

namespace sourir::native {

struct SharedNames {
  Names* names = nullptr; // null: no names are added
  // Held while names are added, and while they are read if another thread may add some. Taken after
  // any lock of the tiers.
  std::mutex mutex;
};

} // namespace sourir::native
