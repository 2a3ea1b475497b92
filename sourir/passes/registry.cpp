#include "sourir/passes/registry.h"

#include "sourir/passes/constprop.h"
#include "sourir/passes/copyprop.h"
#include "sourir/passes/dce.h"
#include "sourir/passes/unreachable.h"

namespace sourir {
namespace {

constexpr PassRow kPasses[] = {
    {"constprop", "Fold what is known, by definitions, branches and assumes.", "constprop",
     constprop, kNoOptions},
    {"copyprop", "Use what a variable was copied from instead of the copy.", "copyprop", copyprop,
     kNoOptions},
    {"dce", "Remove what nobody needs; rebuild in varmaps what only exits need.", "dce", dce,
     kNoOptions},
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
