// Relinking: the exits of a version that was made while a program runs are made to enter that
// program, to which versions may be added. An optimizer returns a whole program with
// one version more; what runs are the resolved versions of the program that was linked at the
// start.
#pragma once

#include "sourir/semantics/resolved.h"

namespace sourir {

// Where an outlined loop comes from: its function is what is left of `from` from `head` on, for an
// OSR entry there. Its versions that have the name of `from` do at position 0 what `from` does at
// `head`, and at pc + 1 what it does at pc.
struct OutlinedFrom {
  FunName function;
  const ResolvedVersion* from = nullptr;
  Pc head = 0;
};

// Copies of `code` (first) and of the versions that its exits enter and that `target` does not
// have, with exits into `target`: each frame has the version of that name, the same position and
// the slot of the same variable there; exits into an outlined loop go to the version that it comes
// from. Precondition: the program of `code` is `target` with added versions and labels. It must
// outlive the copies, which refer to its versions.
std::vector<std::unique_ptr<ResolvedVersion>>
relink_exits(const ResolvedVersion& code, const LinkedProgram& target,
             const OutlinedFrom* outlined_from = nullptr);

// The same for one exit, from a position of a program that extends `target`.
void relink_exit(resolved::Exit& exit, const LinkedProgram& target,
                 const OutlinedFrom* outlined_from);

} // namespace sourir
