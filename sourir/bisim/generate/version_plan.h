// What is decided about a version before it is written: its names, the constants that are no
// variables there, and its context.
#pragma once

#include "sourir/bisim/generate/version_output.h"

namespace sourir::random {

// Plans the last version of the function. `when`: with a context, which it is specialized for.
void plan_version(Context& context, std::deque<WrittenFunction>& functions,
                  WrittenFunction& function, bool when);

// The function's own body in a version that was planned, with nothing in scope yet.
BodyEnv own_env(VersionOutput& out);

} // namespace sourir::random
