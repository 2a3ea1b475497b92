#include "sourir/passes/scalar/unreachable.h"

#include "sourir/passes/core/rewrite.h"

#include <utility>

namespace sourir {
namespace {

std::optional<bool> decided(const Expr& condition) {
  const auto* const simple = std::get_if<SimpleExpr>(&condition);
  const bool* const literal = simple != nullptr ? std::get_if<bool>(simple) : nullptr;
  return literal != nullptr ? std::optional(*literal) : std::nullopt;
}

// The branch that a block ends with; null: none.
const Branch* branch_of(const VersionTask& task, const Block& block) {
  return block.begin == block.end ? nullptr
                                  : std::get_if<Branch>(&task.version.body[block.end - 1].instr);
}

// Makes branches on literals gotos; whether there were any.
bool resolve_literal_branches(VersionTask& task) {
  const std::uint64_t before = task.edit.rewrites();
  for (const Block& block : task.facts.cfg().blocks())
    if (const Branch* const branch = branch_of(task, block))
      if (const auto taken = decided(branch->condition))
        task.edit.replace(block.end - 1, Goto{*taken ? branch->if_true : branch->if_false});
  return task.edit.rewrites() > before;
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
    const Branch* const branch = branch_of(task, block);
    const auto taken = branch != nullptr ? decided(branch->condition) : std::nullopt;
    for (std::size_t k = 0; k < block.successors.size(); ++k)
      if (!taken || (k == 0) == *taken) enter(block.successors[k]);
  }
  return seen;
}

} // namespace

std::optional<PassResult> unreachable(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    const bool fewer_edges = resolve_literal_branches(task);
    const auto seen = fewer_edges ? reached(task) : std::vector<std::uint8_t>();
    const Cfg& cfg = task.facts.cfg();
    for (std::uint32_t b = 0; b < cfg.blocks().size(); ++b) {
      if (fewer_edges ? seen[b] != 0 : cfg.reachable(BlockId{b})) continue;
      const Block& block = cfg[BlockId{b}];
      for (Position at = block.begin; at < block.end; ++at) task.edit.erase(at);
    }
  });
}

} // namespace sourir
