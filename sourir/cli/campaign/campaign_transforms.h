// What campaigns do to programs, with commands of the user's.
#pragma once

#include "sourir/fuzz/pass_transforms.h"

namespace sourir {

// pass_transforms, where a command may take so many seconds.
std::variant<PassTransforms, PipelineError> campaign_transforms(const std::string& text,
                                                                std::uint64_t exec_seconds);

} // namespace sourir
