// Feedback for a continuation that is compiled where a guard failed (dissertation 4.9, "Incomplete
// Profile Data"): what the baseline recorded before is stale where it depends on what failed.
//
//   stale      a position that binds an offending variable, or one whose type on entry its records
//              exclude; and what is computed from those, transitively, without regard to flow
//   injected   the type on entry of an offending variable; the storage of an array on entry
//   inferred   the types of other stale positions, from the types of their operands; in a caller
//              also that of the result of the frame within
//
// A stale position for which nothing is inferred has no type, which is not the same as a position
// that was never reached. Stale branches have no direction, and stale calls no target. Where a
// guard failed no position is unreached. All of this decides only what is guarded: a guard that
// is wrong exits.
// Threads: any.
#pragma once

#include "native/runtime/site_feedback.h"
#include "sourir/semantics/resolved.h"

#include <optional>
#include <vector>

namespace sourir::native {

// What is known where the continuation is entered, by slot.
struct EntryFacts {
  std::vector<TypeSet> types;       // kAnyType: not known
  std::vector<StorageSet> storages; // of arrays; 0: not known
  std::vector<bool> offending;      // the guard that failed reads them
  bool failed = false;              // a guard failed; otherwise the exit was forced
  bool adds = false;                // to what was recorded, instead of in its place
};

// sites: of the version, by position; `start`: where it is entered. Returns the types of what the
// version returns from there, if a stale position computes it: they are offending in the caller.
std::optional<TypeSet> repair_feedback(std::vector<SiteFeedback>& sites,
                                       const ResolvedVersion& version, Pc start,
                                       const EntryFacts& entry);

} // namespace sourir::native
