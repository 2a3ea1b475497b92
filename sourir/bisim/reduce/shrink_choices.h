// Making choice sequences smaller: a shorter choice sequence and smaller words make a smaller case.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace sourir {

// A smaller choice sequence that fails, too: parts are taken out or become zeros. `tries`: calls of
// `fails`, at most.
using ChoicesFail = std::function<bool(const std::vector<std::uint32_t>&)>;
std::vector<std::uint32_t> shrink_choices(std::vector<std::uint32_t> words, std::uint64_t tries,
                                          const ChoicesFail& fails);

} // namespace sourir
