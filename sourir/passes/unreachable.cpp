#include "sourir/passes/unreachable.h"

#include "sourir/analysis/mutant.h"
#include "sourir/passes/rewrite.h"

#include <utility>

namespace sourir {
namespace {

std::optional<bool> decided(const Expr& condition) {
  const auto* const simple = std::get_if<SimpleExpr>(&condition);
  const bool* const literal = simple != nullptr ? std::get_if<bool>(simple) : nullptr;
  return literal != nullptr ? std::optional(*literal != mutant(10)) : std::nullopt;
}

void decide_branches(VersionTask& task) {
  for (Position at = 0; at < task.version.body.size(); ++at)
    if (const auto* const branch = std::get_if<Branch>(&task.version.body[at].instr))
      if (const auto taken = decided(branch->condition))
        task.edit.replace(at, Goto{*taken ? branch->if_true : branch->if_false});
}

// Positions that are reached once the branches are decided.
std::vector<std::uint8_t> reached(VersionTask& task) {
  const Cfg& cfg = task.facts.cfg();
  std::vector<std::uint8_t> seen(cfg.blocks().size());
  std::vector<BlockId> work;
  const auto enter = [&](BlockId b) {
    if (!std::exchange(seen[b.id], true)) work.push_back(b);
  };
  for (const BlockId root : cfg.roots()) enter(root);
  while (!work.empty()) {
    const Block& block = cfg[work.back()];
    work.pop_back();
    if (block.begin == block.end) continue;
    const auto* const branch = std::get_if<Branch>(&task.version.body[block.end - 1].instr);
    const auto taken = branch != nullptr ? decided(branch->condition) : std::nullopt;
    if (mutant(20) && taken) continue;
    for (std::size_t k = 0; k < block.successors.size(); ++k)
      if (!taken || (k == 0) == *taken) enter(block.successors[k]);
  }
  return seen;
}

} // namespace

std::optional<PassResult> unreachable(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    decide_branches(task);
    const auto seen = reached(task);
    const Cfg& cfg = task.facts.cfg();
    for (std::size_t b = 0; b < cfg.blocks().size(); ++b) {
      if (seen[b] != 0) continue;
      const Block& block = cfg.blocks()[b];
      for (Position at = block.begin; at < block.end; ++at) task.edit.erase(at);
    }
  });
}

} // namespace sourir
