// Conditional constants (Kildall; dissertation 2.5): facts about variables at reachable positions,
// from definitions, branches, and passed assumes and asserts. Edges that cannot be taken contribute
// nothing. A call changes no variable but its result. Of the heap only lengths are known, which
// never change, and types of elements, which guards test: stores add to them, calls may store
// anything.
#pragma once

#include "sourir/analysis/dataflow.h"
#include "sourir/analysis/facts.h"

namespace sourir {

class Constants {
public:
  using State = Facts;
  static constexpr Direction kDirection = Direction::Forward;

  // Facts at the start include the context of the version, which holds when a call enters it.
  Constants(const Cfg& cfg, const Version& version) : cfg_(cfg), version_(version) {}

  Facts boundary(BlockId root) const;
  void transfer(Facts& facts, Position at) const;
  bool edge(Facts& facts, BlockId from, std::size_t k) const;

private:
  const Cfg& cfg_;
  const Version& version_;
};

// The facts after an executed instruction (an assume: passed).
void learn(const Instruction& instr, Facts& facts);

} // namespace sourir
