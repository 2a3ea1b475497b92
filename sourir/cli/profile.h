// `sourir profile FILE`: runs a program under the sampler, and says what it saw.
#pragma once

#include "sourir/cli/command.h"

namespace sourir {

Command profile_command();

} // namespace sourir
