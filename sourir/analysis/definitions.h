// The definition of each variable's value, and the store or call that defines the heap: the
// numbering of static single assignment form, without renaming. A block where different definitions
// meet is a definition of its own (a phi). If a position dominates another and a variable has the
// same definition at both, its value at the second is that of the last visit to the first, also in
// loops.
#pragma once

#include "sourir/analysis/var_map.h"
#include "sourir/analysis/version_analyses.h"

namespace sourir {

class Definitions {
public:
  // An instruction by its position, or a block where definitions meet or that is a root.
  struct Id {
    std::uint32_t number = 0;
    bool block = false;
    friend bool operator==(Id, Id) = default;
  };
  struct State {
    VarMap<Id> variables; // those in scope
    Id heap;
    friend bool operator==(const State&, const State&) = default;
  };

  explicit Definitions(VersionAnalyses& facts);

  // Precondition: the block is reachable.
  const State& at_begin(BlockId b) const { return states_[b.id]; }
  void transfer(State& state, Position at) const;

private:
  State entering(const Cfg& cfg, const Scopes& scopes, BlockId b) const;
  State joined(const Cfg& cfg, BlockId b) const;

  const Version& version_;
  std::vector<State> states_, ends_; // by block
  std::vector<std::uint8_t> known_;  // blocks that have an end
};

// Whether the expression reads the same values in both states, its variables in scope in both.
bool reads_the_same(const Expr& e, const Definitions::State& a, const Definitions::State& b);
bool in_scope(const Expr& e, const Definitions::State& state);

} // namespace sourir
