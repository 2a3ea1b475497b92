// Escaping of text inside HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace sourir {

// The text with & < > " as entities.
std::string escaped_markup(std::string_view text);

} // namespace sourir
