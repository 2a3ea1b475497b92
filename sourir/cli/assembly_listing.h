// The assembler text of native code without what is for the assembler alone: directives, call frame
// information, debug sections and labels that nothing jumps to. In front of the machine code of
// each instruction of the version stands that instruction, as a comment.
#pragma once

#include "sourir/semantics/resolved.h"

#include <string>

namespace sourir {

// `assembly`: of LLVM, whose line numbers are positions of `code` from 1.
std::string assembly_listing(const std::string& assembly, const ResolvedVersion& code,
                             const Names& names);

} // namespace sourir
