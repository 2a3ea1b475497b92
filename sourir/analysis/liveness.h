// Live variables: those whose values may still be used. An assume or anchor uses every variable in
// its guards, varmaps, outer frames and deferred instructions (dissertation 2.5); a guard_hint uses
// none, and neither does a drop.
#pragma once

#include "sourir/analysis/dataflow.h"
#include "sourir/analysis/var_map.h"

namespace sourir {

// Adds the variables whose values the instruction uses.
void add_uses(const Instruction& instr, VarSet& uses);
// The variable that it defines: declares, assigns or reads into; null: none.
const Var* defined_by(const Instruction& instr);

// The dataflow problem: states are sets of live variables, joined by union.
struct LiveVariables {
  using State = VarSet;
  static constexpr Direction kDirection = Direction::Backward;

  State boundary(BlockId) const { return {}; }
  // From the state after the instruction to that before it.
  void transfer(State& live, Position at) const { step(live, version.body[at].instr); }
  static void step(State& live, const Instruction& instr);

  const Version& version;
};

class Liveness {
public:
  Liveness(const Version& version, const Cfg& cfg)
      : problem_{version}, cfg_(cfg), ends_(solve(cfg, problem_)) {}

  // Precondition: the block is reachable.
  const VarSet& after(BlockId b) const { return *ends_[b.id]; }
  // Through a reachable block from its end: visit(position, the variables live after it). Returns
  // those before the block.
  template <class Visit>
  VarSet replay(BlockId b, Visit&& visit) const {
    VarSet live = after(b);
    sourir::replay(cfg_, problem_, b, live, visit);
    return live;
  }
  // Precondition: the position is reachable. Costs a walk through its block.
  VarSet before(Position at) const;

private:
  LiveVariables problem_;
  const Cfg& cfg_;
  Solution<LiveVariables> ends_;
};

} // namespace sourir
