// A plugin in which two passes have one name.
#include "sourir/passes/plugin.h"

namespace {

std::optional<sourir::PassResult> same(const sourir::PassInput&) { return std::nullopt; }

constexpr sourir::PassRow kSamePasses[] = {{"same", "", "", same, sourir::kNoOptions},
                                           {"same", "", "", same, sourir::kNoOptions}};

} // namespace

const sourir::PassPlugin sourir_pass_plugin = {.passes = kSamePasses};
