#include "sourir/bisim/version_parts.h"

#include "sourir/analysis/constants.h"
#include "sourir/bisim/structure_check.h"

#include <algorithm>

namespace sourir {

namespace {

// Each `stop` whose only predecessor is an instruction that always fails, by the facts before it.
// That instruction is a part itself; no state that agrees with the facts reaches the `stop`.
std::set<Pc> behind_failures(const Program& program, FunName function, const Version& version) {
  std::set<Pc> found;
  const ExitTargets targets(program);
  const Cfg cfg(version, targets.labels(function, version.name));
  Constants constants(cfg, version);
  const auto solution = solve(cfg, constants);
  for (const BlockId b : cfg.reverse_postorder()) {
    if (!solution[b.id]) continue;
    Facts facts = *solution[b.id];
    for (Position at = cfg[b].begin; at + 1 < cfg[b].end && facts.passed; ++at) {
      constants.transfer(facts, at);
      const bool fails = !facts.passed && !std::holds_alternative<Assume>(version.body[at].instr);
      if (fails && std::holds_alternative<Stop>(version.body[at + 1].instr)) found.insert(at + 1);
    }
  }
  return found;
}

} // namespace

VersionParts parts_of(const Program& program, const ResolvedVersion& code) {
  VersionParts parts;
  ProgramPositions positions(program);
  const Version& source = *positions.version(code.function, code.version);
  const std::set<Pc> never = behind_failures(program, code.function, source);
  for (const auto [at, call_site] : mandatory_positions(positions, code.function, source))
    if (!call_site && !never.contains(at)) parts.positions.insert(at);
  const auto reached = [&](Pc pc) {
    return positions.scope(code.function, code.version, pc) != nullptr;
  };
  for (Pc pc = 0; pc < source.body.size(); ++pc) {
    if (!reached(pc)) continue;
    const resolved::Exit* const exit = exit_at(code, pc);
    if (exit != nullptr && !exit->stays) parts.exits.insert(pc);
    const auto jump = [&](Pc to) {
      if (to <= pc) parts.heads.insert(to);
    };
    if (const auto* i = std::get_if<resolved::Goto>(&code.instrs[pc])) jump(i->target);
    if (const auto* i = std::get_if<resolved::Branch>(&code.instrs[pc]))
      jump(i->if_true), jump(i->if_false);
  }
  parts.is_head.resize(code.instrs.size() + 1);
  for (const Pc pc : parts.heads) parts.is_head[pc] = true;
  parts.is_part = parts.is_head;
  for (const Pc pc : parts.exits) parts.is_part[pc] = true;
  for (const Pc pc : parts.positions) parts.is_part[pc] = true;
  return parts;
}

} // namespace sourir
