#include "sourir/passes/scalar/simplify.h"

#include "sourir/analysis/mutant.h"
#include "sourir/passes/scalar/simplify_expressions.h"
#include "sourir/passes/scalar/simplify_layout.h"

namespace sourir {
namespace {

// A label, and the block that it stands at the begin of.
struct Jump {
  Label label;
  BlockId block;
};

// Blocks that do nothing but go on, and where jumps to them end.
class JumpThreading {
public:
  explicit JumpThreading(VersionTask& task)
      : task_(task), cfg_(task.facts.cfg()), forward_(cfg_.blocks().size()),
        end_of_(cfg_.blocks().size()) {}

  void run() {
    do {
      find_ends();
    } while (decide_branches());
    for (const BlockId b : cfg_.reverse_postorder())
      if (const auto* const jump = last<Goto>(b))
        if (const Label straight = end_of(jump->target).label; straight != jump->target)
          task_.edit.replace(cfg_[b].end - 1, Goto{straight});
  }

private:
  template <class Instr>
  const Instr* last(BlockId b) const {
    const Block& block = cfg_[b];
    return block.begin == block.end ? nullptr
                                    : std::get_if<Instr>(task_.edit.current(block.end - 1));
  }

  Jump jump_to(Label label) const { return {label, cfg_.block_of(cfg_.position_of(label))}; }

  Jump end_of(Label label) const {
    const Jump jump = jump_to(label);
    return end_of_[jump.block.id].value_or(jump);
  }

  void find_ends() {
    for (const BlockId b : cfg_.reverse_postorder()) {
      const auto* const jump = cfg_[b].end - cfg_[b].begin == 1 ? last<Goto>(b) : nullptr;
      forward_[b.id] = jump != nullptr ? std::optional(jump_to(jump->target)) : std::nullopt;
      end_of_[b.id].reset();
    }
    // 0: not on the path; else its place there, from 1.
    std::vector<std::uint32_t> place(cfg_.blocks().size());
    for (const BlockId b : cfg_.reverse_postorder()) follow(b, place);
  }

  void follow(BlockId b, std::vector<std::uint32_t>& place) {
    std::vector<BlockId> path;
    while (forward_[b.id] && !end_of_[b.id] && place[b.id] == 0) {
      path.push_back(b);
      place[b.id] = static_cast<std::uint32_t>(path.size());
      b = forward_[b.id]->block;
    }
    if (path.empty()) return;
    Jump end = end_of_[b.id].value_or(*forward_[path.back().id]);
    // A loop that does nothing shrinks to its first block.
    if (place[b.id] != 0)
      for (std::size_t k = place[b.id] - 1; k < path.size(); ++k)
        if (forward_[path[k].id]->block < end.block) end = *forward_[path[k].id];
    for (const BlockId on_path : path) {
      end_of_[on_path.id] = end;
      place[on_path.id] = 0;
    }
  }

  // Branches whose arms go to the same place, and that cannot fail.
  bool decide_branches() {
    bool decided = false;
    for (const BlockId b : cfg_.reverse_postorder()) {
      const auto* const branch = last<Branch>(b);
      if (branch == nullptr) continue;
      const Jump one = end_of(branch->if_true), other = end_of(branch->if_false);
      if (one.block != other.block || !(mutant(53) || is_boolean(b, branch->condition))) continue;
      task_.edit.replace(cfg_[b].end - 1, Goto{one.label});
      decided = true;
    }
    return decided;
  }

  bool is_boolean(BlockId b, const Expr& condition) {
    if (is_boolean(condition, {})) return true;
    const auto& known = task_.facts.constants()[b.id];
    if (!known) return false;
    Facts facts = *known;
    bool result = false;
    replay(cfg_, task_.facts.constants_problem(), b, facts, [&](Position at, const Facts& before) {
      if (at + 1 == cfg_[b].end) result = is_boolean(condition, before);
    });
    return result;
  }

  static bool is_boolean(const Expr& e, const Facts& facts) {
    return is_total(e, facts) && evaluate(e, facts).kinds == TypeSet(Kind::Bool);
  }

  VersionTask& task_;
  const Cfg& cfg_;
  std::vector<std::optional<Jump>> forward_, end_of_;
};

} // namespace

std::optional<PassResult> simplify(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) {
    simplify_expressions(task);
    JumpThreading(task).run();
    lay_out(task);
  });
}

} // namespace sourir
