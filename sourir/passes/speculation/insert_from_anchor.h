// CoreJIT (dissertation 2.8): where an assumption is wanted, an assume is inserted with the
// metadata of the anchor (or assume) before it. Precondition: on all paths from that exit, all
// instructions are re-executable and change no variable that its metadata mentions.
#pragma once

#include "sourir/passes/speculation/speculate.h"

namespace sourir {

inline constexpr const auto& kInsertFromAnchorOptions = kSpeculationOptions;

std::optional<PassResult> insert_from_anchor(const PassInput& input);

} // namespace sourir
