// Making tapes smaller: a shorter tape and smaller words make a smaller case.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

namespace sourir {

// A smaller tape that fails, too: parts are taken out or become zeros. `tries`: calls of `fails`,
// at most.
using TapeFails = std::function<bool(const std::vector<std::uint32_t>&)>;
std::vector<std::uint32_t> shrink_tape(std::vector<std::uint32_t> words, std::uint64_t tries,
                                       const TapeFails& fails);

} // namespace sourir
