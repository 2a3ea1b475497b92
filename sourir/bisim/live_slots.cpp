#include "sourir/bisim/live_slots.h"

#include "sourir/analysis/liveness.h"
#include "sourir/syntax/with_block.h"

#include <algorithm>

namespace sourir {
namespace {

// What is assigned to variables that nobody needs needs nothing, unless it may fail.
struct NeededVariables {
  using State = VarSet;
  static constexpr Direction kDirection = Direction::Backward;

  State boundary(BlockId) const { return {}; }
  void transfer(State& needed, Position at) const {
    const Instruction& instr = version.body[at].instr;
    const Var* const defined = defined_by(instr);
    if (defined == nullptr || needed.contains(*defined) || fails(instr))
      LiveVariables::step(needed, instr);
  }

  static bool fails(const Instruction& instr) {
    if (const auto* decl = std::get_if<Decl>(&instr)) return decl->value && may_fail(*decl->value);
    if (const auto* assign = std::get_if<Assign>(&instr))
      return may_fail(assign->value).has_value();
    return true;
  }

  const Version& version;
};

std::vector<Slot> slots_of(const VarSet& live, const ResolvedVersion& code) {
  std::vector<Slot> slots;
  for (const Var x : live)
    if (const auto slot = code.slot_of(x)) slots.push_back(*slot);
  std::sort(slots.begin(), slots.end());
  return slots;
}

std::vector<std::vector<Slot>> live_slots(const ResolvedVersion& code, const ExitTargets& targets) {
  const Version& version = *code.source;
  const Cfg cfg(version, targets.labels(code.function, code.version));
  NeededVariables problem{version};
  const Solution<NeededVariables> ends = solve(cfg, problem);
  std::vector<std::vector<Slot>> live(code.instrs.size() + 1);
  for (const BlockId b : cfg.reverse_postorder()) {
    const Block& block = cfg[b];
    VarSet needed = *ends[b.id];
    replay(cfg, problem, b, needed, [&](Position at, const VarSet& behind) {
      if (at + 1 < block.end) live[at + 1] = slots_of(behind, code);
    });
    live[block.begin] = slots_of(needed, code);
  }
  return live;
}

} // namespace

const std::vector<Slot>& LiveSlots::at(const ResolvedVersion& code, Pc pc) {
  const auto [found, fresh] = versions_.try_emplace(&code);
  if (fresh) found->second = live_slots(code, targets_);
  return found->second[pc];
}

} // namespace sourir
