// A plugin without passes.
#include "sourir/passes/plugin.h"

const sourir::PassPlugin sourir_pass_plugin = {.passes = {}};
