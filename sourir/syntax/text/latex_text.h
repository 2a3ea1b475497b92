// Text as LaTeX that any engine and font encoding sets. Internal to to_latex.
#pragma once

#include <string>
#include <string_view>

namespace sourir {

// Every character shown as itself; without ligatures, so that code stays readable as code.
std::string latex_text(std::string_view utf8);

} // namespace sourir
