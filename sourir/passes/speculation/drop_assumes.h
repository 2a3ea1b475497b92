// Guards that are literally true or repeated are removed, then assumes without guards (Theorem 1:
// they may be there or not), then versions that nothing reaches: no call enters them, and no exit
// of a reached version targets them. The base stays, and of each context the last version.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

inline constexpr OptionRow kDropAssumesOptions[] = {
    {"keep", "V+W", "versions that stay in any case"},
    {"versions", "true|false", "remove versions that nothing reaches (true)"},
};

std::optional<PassResult> drop_assumes(const PassInput& input);

} // namespace sourir
