// A single version as text, for listings and logs.
#pragma once

#include "sourir/semantics/resolved.h"

#include <string>

namespace sourir {

// "F.V"
std::string version_name(const ResolvedVersion& code, const Names& names);
// "F.V+n": of versions that no file shows, where labels would say nothing.
std::string position_name(const ResolvedVersion& code, Pc pc, const Names& names);
// The version as it stands in a program, below the header of its function.
std::string version_text(const ResolvedVersion& code, const Names& names);
// The instruction at pc on one line.
std::string instruction_text(const ResolvedVersion& code, Pc pc, const Names& names);
// The places of the frames that an exit rebuilds, innermost first.
std::vector<std::string> exit_targets(const resolved::Exit& exit, const Names& names);

} // namespace sourir
