// The idioms that invite mistakes of engines, with holes as in idiom_texts.h: calls in loops whose
// types change late, exits that make several frames, arithmetic of the hardware.
#pragma once

#include <span>
#include <string_view>

namespace sourir::random {

std::span<const std::string_view> engine_idioms();
// Functions that these call, besides those of idiom_texts.h.
std::string_view engine_functions();

} // namespace sourir::random
