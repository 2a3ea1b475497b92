// A plugin that calls a function that nobody has.
#include "sourir/passes/plugin.h"

namespace sourir {

std::optional<PassResult> nobody_has_it(const PassInput& input);

namespace {

constexpr PassRow kUndefinedPass[] = {{"undefined", "", "", nobody_has_it, kNoOptions}};

} // namespace
} // namespace sourir

const sourir::PassPlugin sourir_pass_plugin = {.passes = sourir::kUndefinedPass};
