// The table of seeded bugs of a program that has none.
#include "sourir/fuzz/seeded_bugs.h"

namespace sourir {

std::span<const SeededBug> seeded_bugs() { return {}; }

bool select_seeded_bug(int number) { return number == 0; }

} // namespace sourir
