// CoreJIT (dissertation 2.8): where something is worth an assumption, an assume is inserted with
// the metadata of the anchor (or assume) before it. That exit may be taken for as long as, on all
// paths from it, only instructions lie between that can be executed again and change nothing that
// its metadata mentions.
#pragma once

#include "sourir/passes/speculation/speculations.h"

namespace sourir {

inline constexpr const auto& kInsertFromAnchorOptions = kSpeculationOptions;

std::optional<PassResult> insert_from_anchor(const PassInput& input);

} // namespace sourir
