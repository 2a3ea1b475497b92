// Changes of the linked program while it runs: metadata from outside linked into it, the current
// frame moved into an added version, the exits of added versions relinked so that they enter the
// running program. Also the events that all engines count. The linked program itself is declared in
// resolved.h. Callers synchronize; nothing here locks.
#pragma once

#include "sourir/semantics/resolved.h"
#include "sourir/semantics/step.h"
#include "sourir/syntax/result.h"

#include <span>
#include <vector>

namespace sourir {

// Links metadata that is not part of the linked program: from positions of `origin`, which may
// belong to another program, to positions of `target`. The error names what `target` or `origin`
// does not have.
Result<resolved::Exit> link_exit(const Metadata& exit, const ResolvedVersion& origin,
                                 const LinkedProgram& target);

// A guard about parameters only, whose slots are their numbers.
resolved::Expr link_guard(const Expr& guard, std::span<const Var> parameters);

// The event counter of a run counts calls, back edges and exits taken. All engines count the same
// events, so its value identifies a point of a run. True if a step made at `pc` of `code` is such
// an event.
bool is_counted_event(const ResolvedVersion& code, Pc pc, const StepResult& r);
// Whether the step took an exit.
bool takes_exit(const StepResult& r);

// --- Relinking -----------------------------------------------------------------------------------
// An optimizer returns a whole program with one version more; the versions that execute are those
// of the program that was linked at the start. Relinking redirects the exits of the added version
// to these.

// The origin of an outlined loop: `function` is the rest of `from` from `head` on, for an OSR entry
// there. In its versions that have the name of `from`, position 0 corresponds to `head` of `from`,
// and position pc + 1 to pc.
//
// With a callee it is the rest of a stack of frames: position 0 calls the rest of the callee, which
// may be one of a stack itself, and so corresponds to all frames, that of `from` waiting at `head`
// for its result; position 1 corresponds to `head` of `from`. Then come `copies` of positions of
// `from`, and after them position pc of `from` for each pc. The parameters are those of the callee,
// then the variables of `from`.
struct OutlinedFrom {
  FunName function;
  const ResolvedVersion* from = nullptr;
  Pc head = 0;
  std::shared_ptr<const OutlinedFrom> callee = nullptr;
  std::size_t parameters = 0;  // with or as a callee: how many
  Slot result = 0;             // with a callee: of `from`
  std::vector<Pc> copies = {}; // the positions of `from` that come twice, in ascending order

  // For code that is none of its own or of its callees: null.
  const OutlinedFrom* of(const ResolvedVersion& code) const {
    const OutlinedFrom* at = this;
    while (at != nullptr && (at->function != code.function || at->from->version != code.version))
      at = at->callee.get();
    return at;
  }
  // The first position that is a copy of one of `from`.
  Pc start() const { return callee ? 2 : 1; }
  // The position of `from`; that of position 0 is `head`, where a frame with a callee waits.
  Pc origin(Pc pc) const;
  // The positions that are copies of position `pc` of `from`.
  std::vector<Pc> copies_of(Pc pc) const;
};

// Copies of `code` (first) and of the versions that its exits enter and that `target` does not
// have, with exits into `target`: each frame has the version of that name, the same position and
// the slot of the same variable there; exits into an outlined loop go to the version that it was
// outlined from. Precondition: the program of `code` is `target` with added versions and labels. It
// must outlive the copies, which refer to its versions.
std::vector<std::unique_ptr<ResolvedVersion>>
relink_exits(const ResolvedVersion& code, const LinkedProgram& target,
             const OutlinedFrom* outlined_from = nullptr);

// The same for one exit, from a position of a program that extends `target`.
void relink_exit(resolved::Exit& exit, const LinkedProgram& target,
                 const OutlinedFrom* outlined_from);

} // namespace sourir
