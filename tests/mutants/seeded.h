// Whether a seeded bug is switched on: what the copies of sources with bugs ask (mutants.py).
#pragma once

#include <algorithm>
#include <iterator>
#include <utility>

namespace sourir {

// One bug at a time, for this process; set before any thread starts (sourir/fuzz/seeded_bugs.h).
bool seeded(int number);

} // namespace sourir
