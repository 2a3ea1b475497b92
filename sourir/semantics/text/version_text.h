// A single version as text, for listings and logs.
#pragma once

#include "sourir/semantics/code.h"

#include <string>

namespace sourir {

// "F.V"
std::string version_name(const InstrStream& code, const Names& names);
// "F.V+n": of versions that no file shows, where labels would say nothing.
std::string position_name(const InstrStream& code, Pc pc, const Names& names);
// The version as it stands in a program, below the header of its function.
std::string version_text(const InstrStream& code, const Names& names);
// The instruction at pc on one line.
std::string instruction_text(const InstrStream& code, Pc pc, const Names& names);
// The places of the frames that an exit rebuilds, innermost first.
std::vector<std::string> exit_targets(const code::Exit& exit, const Names& names);

} // namespace sourir
