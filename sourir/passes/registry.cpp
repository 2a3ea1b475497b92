#include "sourir/passes/registry.h"

#include "sourir/passes/checkpoints.h"
#include "sourir/passes/constprop.h"
#include "sourir/passes/copyprop.h"
#include "sourir/passes/dce.h"
#include "sourir/passes/inline.h"
#include "sourir/passes/fresh_version.h"
#include "sourir/passes/normalize.h"
#include "sourir/passes/simplify.h"
#include "sourir/passes/unreachable.h"

namespace sourir {
namespace {

constexpr PassRow kPasses[] = {
    {"checkpoints", "Insert anchors where a fresh version may leave to the one it was copied from.",
     "checkpoints:as=assume", checkpoints, kCheckpointsOptions},
    {"constprop", "Fold what is known, by definitions, branches and assumes.", "constprop",
     constprop, kNoOptions},
    {"copyprop", "Use what a variable was copied from instead of the copy.", "copyprop", copyprop,
     kNoOptions},
    {"dce", "Remove what nobody needs; rebuild in varmaps what only exits need.", "dce", dce,
     kNoOptions},
    {"inline", "Replace calls by the code of their callee.", "inline:max-size=100", inline_calls,
     kInlineOptions},
    {"fresh-version", "Copy the active versions; the copies leave to the old ones.",
     "fresh-version:name=opt", fresh_version, kFreshVersionOptions},
    {"normalize", "Make every version normal: labels, gotos, and a name for each variable.",
     "normalize", normalize, kNoOptions},
    {"simplify", "Thread jumps, join straight lines, drop needless labels, guards and negations.",
     "simplify", simplify, kNoOptions},
    {"unreachable", "Remove what no path reaches, and decide branches on literals.", "unreachable",
     unreachable, kNoOptions},
};

} // namespace

std::span<const PassRow> all_passes() { return kPasses; }

const PassRow* find_pass(std::string_view name) {
  for (const PassRow& row : kPasses)
    if (row.name == name) return &row;
  return nullptr;
}

} // namespace sourir
