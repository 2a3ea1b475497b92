// No seeded bug is in these sources any more; for what still asks.
#pragma once

namespace sourir {

constexpr bool mutant(int) { return false; }

} // namespace sourir
