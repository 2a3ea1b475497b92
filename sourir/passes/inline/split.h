// Code splitting: `if x == 42 then S else S`, so that each copy of S is optimized under the outcome
// of the test. S is a call with the exits after it, or the rest of a block. A call through a
// variable becomes a chain of tests with direct calls; the last arm is the old code.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

inline constexpr OptionRow kSplitOptions[] = {
    {"at", "LABEL",
     "split there (without it: where feedback says so, calls through variables that functions are "
     "assigned to, and calls that enter a version for some values or kinds of an argument)"},
    {"dispatched", "true", "only calls of functions that feedback names as dispatched"},
    {"var", "X", "with `at`: on this variable"},
    {"value", "LITERALS", "with `at`: for these values, a+b"},
    {"kind", "KINDS", "with `at`: for these kinds, a+b"},
    {"max-size", "N", "clone at most N instructions at a place (30)"},
};

std::optional<PassResult> split(const PassInput& input);

} // namespace sourir
