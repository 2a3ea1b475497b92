// Idioms of random_idioms.h with guards on the types of all elements of an array, which change
// between the guard and what relies on it: through the same variable, through another name, in a
// callee, in a loop. A use calls `elems#`, which a function text declares: an optimized version and
// its base, which behave the same.
#pragma once

#include "sourir/bisim/generate/choice_sequence.h"

#include <span>
#include <string>
#include <string_view>

namespace sourir::random {

std::span<const std::string_view> elements_uses();
std::string elements_function(ChoiceSequence& choices);

} // namespace sourir::random
