// The parts of the table of diagnostics (code_rows in diagnostics.h), in the order of Code.
#pragma once

#include "sourir/syntax/diagnostics.h"

#include <span>

namespace sourir {

std::span<const CodeRow> reading_rows();
std::span<const CodeRow> name_rows();
std::span<const CodeRow> scope_rows();
std::span<const CodeRow> normal_form_and_warning_rows();

} // namespace sourir
