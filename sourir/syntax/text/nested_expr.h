// What to write instead of a nested expression: temporaries.
#pragma once

#include "sourir/syntax/source.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace sourir {

struct Flattened {
  std::string help;      // "introduce a temporary: `var t = (a * b)`, then `(t + c)`"
  std::uint32_t end = 0; // of the expression in the text
};

// Reads the expression at `begin` with the usual precedences. Empty if it is none or too large
// for advice.
std::optional<Flattened> flatten(std::string_view text, std::uint32_t begin);

} // namespace sourir
