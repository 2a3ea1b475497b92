#include "sourir/passes/registry.h"

#include "sourir/passes/simplify.h"
#include "sourir/passes/unreachable.h"

namespace sourir {
namespace {

constexpr PassRow kPasses[] = {
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
