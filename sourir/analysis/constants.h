// Conditional constants (Kildall; dissertation 2.5): facts about variables at reachable positions,
// from definitions, branches, and passed assumes and asserts. Edges that cannot be taken contribute
// nothing. A call changes no variable but its result. Of the heap only lengths are known, which
// never change, and types of elements, which guards test: stores add to them, calls that may write
// to arrays of their callers may store anything.
#pragma once

#include "sourir/analysis/dataflow.h"
#include "sourir/analysis/effects.h"
#include "sourir/analysis/facts.h"

#include <functional>

namespace sourir {

class Constants {
public:
  using State = Facts;
  static constexpr Direction kDirection = Direction::Forward;

  // Computed when they are asked for.
  using EffectsOfCalls = std::function<const ProgramEffects&()>;

  // Facts at the start include the context of the version, which holds when a call enters it.
  // effects: empty if calls may do anything.
  Constants(const Cfg& cfg, const Version& version, EffectsOfCalls effects = {})
      : cfg_(cfg), version_(version), effects_(std::move(effects)) {}

  Facts boundary(BlockId root) const;
  void transfer(Facts& facts, Position at) const;
  bool edge(Facts& facts, BlockId from, std::size_t k) const;

private:
  const Cfg& cfg_;
  const Version& version_;
  EffectsOfCalls effects_;
};

// The facts after an executed instruction (an assume: passed). keeps_elements: it is a call that
// writes to no array of its caller.
void learn(const Instruction& instr, Facts& facts, bool keeps_elements = false);

} // namespace sourir
