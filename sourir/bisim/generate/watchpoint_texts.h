// Idioms of random_idioms.h in which a guard on an element is watched and the element changes: in a
// callee, in a loop through another name of the array, in a frame further out; and such in which
// another array or another frame takes the place of the watched one. A use calls `watch#`, which a
// function text declares: an optimized version and its base, which behave the same.
#pragma once

#include <span>
#include <string_view>

namespace sourir::random {

std::span<const std::string_view> watchpoint_uses();
std::span<const std::string_view> watchpoint_functions();

} // namespace sourir::random
