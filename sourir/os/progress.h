// Progress of long work, on standard error. Threads: one.
#pragma once

#include <string>

namespace sourir {

// Replaces the line of progress on a terminal; empty: removes it. Elsewhere nothing is shown.
void show_progress(const std::string& text);

} // namespace sourir
