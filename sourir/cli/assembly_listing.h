// The assembler text of native code without what is for the assembler alone: directives, call frame
// information, debug sections and labels that nothing jumps to. In front of the machine code of
// each instruction of the version stands that instruction, as a comment.
#pragma once

#include "native/runtime/native_code.h"
#include "sourir/semantics/resolved.h"

#include <string>

namespace sourir {

// `assembly`: of LLVM, whose line numbers are positions of `code` from 1.
std::string assembly_listing(const std::string& assembly, const ResolvedVersion& code,
                             const Names& names);
// The same, and in front of the machine code of each LLVM instruction that instruction, after its
// label where that is another one than before. At the end the instructions that have no machine
// code of their own: it is part of another one's, or there is none.
std::string assembly_listing(const native::AssemblyOfIr& shown, const ResolvedVersion& code,
                             const Names& names);

} // namespace sourir
