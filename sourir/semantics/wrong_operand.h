// Which operand of a stuck instruction has the wrong type or is no index of its array, and what
// would have been right: for messages.
#pragma once

#include "sourir/semantics/config.h"

#include <cstdint>
#include <optional>
#include <string>

namespace sourir {

struct WrongOperand {
  // "`+` takes numbers, but `x` is a string", "index out of bounds: the indices of `a` are 0 to 1"
  std::string message;
  // Among the names of the instruction (traverse.h), where the operand is a variable: for a caret.
  std::optional<std::uint32_t> name;
};

// Precondition: the next step of `c` is stuck because of WrongType or OutOfBounds. Empty: the
// operand is in the varmap of an exit.
std::optional<WrongOperand> wrong_operand(const Config& c);

} // namespace sourir
