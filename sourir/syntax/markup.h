// Text inside HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace sourir {

// With & < > " as entities.
std::string escaped_markup(std::string_view text);

} // namespace sourir
