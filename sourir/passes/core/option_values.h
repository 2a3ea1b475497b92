// What may stand behind the `=` of a pass's option.
#pragma once

#include "sourir/passes/core/pass.h"

namespace sourir {

std::optional<std::uint64_t> whole_number(std::string_view text);
std::string quoted(std::string_view text);

// What is wrong with the value (empty: none was given), or nothing. See OptionRow::value.
std::string value_problem(const OptionRow& row, std::optional<std::string_view> value);

} // namespace sourir
