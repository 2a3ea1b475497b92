#include "sourir/passes/scalar/unreachable.h"

#include "sourir/passes/core/rewrite.h"

#include <algorithm>
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

// Whether it is an assume with the guard `false`, which deoptimizes whenever it is executed.
bool always_leaves(const Instruction& instr) {
  const auto* const assume = std::get_if<Assume>(&instr);
  return assume != nullptr &&
         std::ranges::any_of(assume->guards, [](const Expr& e) { return decided(e) == false; });
}

// The first assume of the block that always deoptimizes.
std::optional<Position> last_executed(const VersionTask& task, const Block& block) {
  for (Position at = block.begin; at < block.end; ++at)
    if (always_leaves(task.version.body[at].instr)) return at;
  return std::nullopt;
}

// Replaces the rest of each block after an assume that always deoptimizes by `stop`. Returns
// whether the graph loses an edge.
bool cut_behind_exits(VersionTask& task) {
  bool fewer_edges = false;
  for (const Block& block : task.facts.cfg().blocks()) {
    const auto last = last_executed(task, block);
    if (!last) continue;
    const Position next = *last + 1;
    fewer_edges |= !block.successors.empty();
    if (next == block.end) {
      task.edit.append(*last, Stop{});
      continue;
    }
    if (!std::holds_alternative<Stop>(task.version.body[next].instr))
      task.edit.replace(next, Stop{});
    for (Position at = next + 1; at < block.end; ++at) task.edit.erase(at);
  }
  return fewer_edges;
}

// Blocks that are reached once the branches are decided, by number.
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
    if (last_executed(task, block)) continue;
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
    bool fewer_edges = resolve_literal_branches(task);
    fewer_edges |= cut_behind_exits(task);
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
