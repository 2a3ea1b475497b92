// The trees of all functions of a random program.
#pragma once

#include "sourir/bisim/generate/random_writer.h"

namespace sourir::random {

// Functions before those that call them, main last. `nodes`: about how many in all. The value:
// how many inputs a run reads at most.
std::uint64_t make_trees(Context& context, std::deque<WrittenFunction>& functions,
                         std::uint32_t nodes);

} // namespace sourir::random
