#include "sourir/passes/registry.h"

#include "sourir/passes/inline/inline.h"
#include "sourir/passes/inline/split.h"
#include "sourir/passes/loops/licm.h"
#include "sourir/passes/loops/unroll.h"
#include "sourir/passes/scalar/constprop.h"
#include "sourir/passes/scalar/copyprop.h"
#include "sourir/passes/scalar/dce.h"
#include "sourir/passes/scalar/deferred_materialization.h"
#include "sourir/passes/scalar/gvn.h"
#include "sourir/passes/scalar/late_declarations.h"
#include "sourir/passes/scalar/load_elimination.h"
#include "sourir/passes/scalar/min_live.h"
#include "sourir/passes/scalar/normalize.h"
#include "sourir/passes/scalar/simplify.h"
#include "sourir/passes/scalar/types.h"
#include "sourir/passes/scalar/unreachable.h"
#include "sourir/passes/speculation/checkpoints.h"
#include "sourir/passes/speculation/clear_dead.h"
#include "sourir/passes/speculation/compose_assumes.h"
#include "sourir/passes/speculation/drop_assumes.h"
#include "sourir/passes/speculation/fresh_version.h"
#include "sourir/passes/speculation/guard_results.h"
#include "sourir/passes/speculation/hoist_predicates.h"
#include "sourir/passes/speculation/insert_from_anchor.h"
#include "sourir/passes/speculation/lower_anchors.h"
#include "sourir/passes/speculation/move_assumes.h"
#include "sourir/passes/speculation/osr_in.h"
#include "sourir/passes/speculation/specialize.h"
#include "sourir/passes/speculation/speculate.h"
#include "sourir/passes/speculation/undo.h"

#include <algorithm>
#include <array>

namespace sourir {
namespace {

constexpr PassRow kRows[] = {
    {"checkpoints", "Insert anchors where a fresh version may exit to the one it was copied from.",
     "checkpoints:as=assume", checkpoints, kCheckpointsOptions},
    {"clear-dead", "Bind nil in exits to variables that are dead at their targets.", "clear-dead",
     clear_dead, kNoOptions},
    {"compose-assumes", "Let exits that lead to another exit go straight to its target.",
     "compose-assumes", compose_assumes, kNoOptions},
    {"constprop", "Fold what is known, by definitions, branches and assumes.", "constprop",
     constprop, kNoOptions, PassKind::Function},
    {"copyprop", "Use what a variable was copied from instead of the copy.", "copyprop", copyprop,
     kNoOptions, PassKind::Function},
    {"dce", "Remove what nobody needs; rebuild in varmaps what only exits need.", "dce", dce,
     kNoOptions, PassKind::Function},
    {"drop-assumes", "Remove assumes that test nothing, and versions that nothing reaches.",
     "drop-assumes:keep=V0+V1", drop_assumes, kDropAssumesOptions},
    {"fresh-version", "Copy the active versions; the copies exit to the old ones.",
     "fresh-version:name=opt", fresh_version, kFreshVersionOptions},
    {"guard-results", "Guard the types that feedback shows for results; leave where none was.",
     "guard-results", guard_results, kNoOptions, PassKind::Module, true},
    {"gvn", "Use a variable that holds the value of an expression already.", "gvn", gvn, kNoOptions,
     PassKind::Function},
    {"hoist-predicates", "Test predicates early, out of loops, and only once.", "hoist-predicates",
     hoist_predicates, kNoOptions, PassKind::Function},
    {"inline", "Replace calls by the code of their callee.", "inline:max-size=100", inline_calls,
     kInlineOptions},
    {"insert-from-anchor", "Insert assumes with the metadata of the anchor before them.",
     "insert-from-anchor:branches=true", insert_from_anchor, kInsertFromAnchorOptions,
     PassKind::Function},
    {"types", "Decide tests of types that are known.", "types", fold_types, kNoOptions,
     PassKind::Function},
    {"late-declarations", "Declare variables where they get their first value that counts.",
     "late-declarations", late_declarations, kNoOptions, PassKind::Function},
    {"licm", "Compute before a loop what does not change in it.", "licm:loads=all", licm,
     kLicmOptions, PassKind::Function},
    {"load-elimination", "Use values that elements are known to hold; remove needless stores.",
     "load-elimination", load_elimination, kNoOptions},
    {"lower-anchors", "Remove anchors, at the end of a pipeline.", "lower-anchors", lower_anchors,
     kNoOptions},
    {"min-live", "Drop every variable as early as possible.", "min-live", min_live, kNoOptions,
     PassKind::Function},
    {"move-assumes", "Move assumes forward, to where they can serve a hint.",
     "move-assumes:far=false", move_assumes, kMoveAssumesOptions, PassKind::Function},
    {"normalize", "Make every version normal: labels, gotos, and a name for each variable.",
     "normalize", normalize, kNoOptions},
    {"osr-in", "Lead from a position in a version into a continuation specialized for it.",
     "osr-in:at=f.V.L:known=x == 1", osr_in, kOsrInOptions},
    {"simplify", "Thread jumps, join straight lines, drop needless labels, guards and negations.",
     "simplify", simplify, kNoOptions, PassKind::Function},
    {"deferred-materialization", "Compute what only exits need in their `with` blocks.",
     "deferred-materialization", deferred_materialization, kNoOptions, PassKind::Function},
    {"specialize", "Add versions for calls that say what their arguments are.",
     "specialize:context=x is int", specialize, kSpecializeOptions},
    {"speculate", "Add predicates from hints, branches and feedback to assumes.",
     "speculate:branches=false", speculate, kSpeculateOptions, PassKind::Function},
    {"split", "Clone code for likely values, kinds and functions that are called.",
     "split:at=L:var=x:value=42", split, kSplitOptions},
    {"undo", "Keep the other predicates when one fails: a continuation for its exit.",
     "undo:at=f.V.L:guard=0", undo, kUndoOptions},
    {"unreachable", "Remove what no path reaches, and decide branches on literals.", "unreachable",
     unreachable, kNoOptions, PassKind::Function},
    {"unroll", "Copy loops: some iterations before them, or several in one.",
     "unroll:peel=1:loop=L", unroll, kUnrollOptions, PassKind::Function},
};

constexpr auto kPasses = [] {
  auto rows = std::to_array(kRows);
  std::ranges::sort(rows, {}, &PassRow::name);
  return rows;
}();
static_assert(std::ranges::adjacent_find(kPasses, {}, &PassRow::name) == kPasses.end());

// Names of passes before release 0.2; not in any list.
struct OldName {
  std::string_view old, now;
};
constexpr OldName kOldNames[] = {
    {"kinds", "types"},
    {"loads", "load-elimination"},
    {"sink", "deferred-materialization"},
};

} // namespace

std::span<const PassRow> all_passes() { return kPasses; }

const PassRow* find_pass(std::string_view name) {
  for (const OldName& alias : kOldNames)
    if (alias.old == name) name = alias.now;
  const auto row = std::ranges::find(kPasses, name, &PassRow::name);
  return row != kPasses.end() ? &*row : nullptr;
}

} // namespace sourir
