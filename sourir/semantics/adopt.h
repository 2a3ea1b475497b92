// How code that was made while a program runs becomes code of that program (language.md section
// 5: versions may be added). An optimizer returns a whole program, with a version more; what runs
// are the streams of the program that was linked at the start.
#pragma once

#include "sourir/semantics/code.h"

namespace sourir {

// A function that is what is left of a version from a position on, for entering it there: its
// versions that have the name of `from` do at position 0 what `from` does at `head`, and at pc + 1
// what it does at pc.
struct CutOut {
  FunName function;
  const InstrStream* from = nullptr;
  Pc head = 0;
};

// `code`, of a program that grew out of `target` by added versions and labels, as code that leaves
// into `target`: each frame of its exits has the stream of the version of that name, the same
// position and the slot of the same variable there. The first is `code` itself; the others are
// versions that its exits enter and that `target` does not have. The program of `code` must
// outlive them (they refer to its versions). Exits into a function that was cut out of a version
// of `target` go to that version.
std::vector<std::unique_ptr<InstrStream>>
adopt(const InstrStream& code, const LinkedProgram& target, const CutOut* cut_out = nullptr);

// An exit from a position of a program that grew out of `target` in that way into what it grew out
// of, as one into `target` itself.
void adopt_exit(code::Exit& exit, const LinkedProgram& target, const CutOut* cut_out);

} // namespace sourir
