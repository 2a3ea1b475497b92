// Value numbers: equal numbers at a position mean values that are the same to the bit (all NaNs
// being the same). One walk over the blocks in reverse postorder; what a loop changes gets a new
// number at its header, and so does what comes to a join with different ones. What reads the heap,
// calls and input are new numbers each.
#pragma once

#include "sourir/analysis/expr_hash.h"
#include "sourir/analysis/loops.h"
#include "sourir/analysis/var_map.h"

#include <map>
#include <optional>
#include <vector>

namespace sourir {

// A hash table of expressions without chains: entries of one look-up are adjacent in memory.
class ExprTable {
public:
  // The number that the expression got when it was looked up first; `fresh` if this is the first
  // look-up.
  std::uint32_t number(const Expr& e, std::uint32_t fresh);

private:
  void grow();

  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  struct Entry {
    Expr expr;
    std::size_t hash;
    std::uint32_t number;
  };
  std::vector<Entry> entries_;
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, kFree); // in entries_
};

class ValueNumbers {
public:
  using Number = std::uint32_t;
  using State = VarMap<Number>; // of the variables in scope

  ValueNumbers(const Version& version, const Function& function, const Cfg& cfg,
               const Loops& loops);

  // visit(position, numbers before it), for all reachable positions.
  template <class Visit>
  void replay(Visit&& visit) {
    for (const BlockId b : cfg_.reverse_postorder()) {
      State state = begins_[b.id];
      for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at) {
        visit(at, std::as_const(state));
        transfer(state, at);
      }
    }
  }
  // Empty: an expression that reads the heap.
  std::optional<Number> number(const State& state, const Expr& e);
  // What the reachable instruction gives to the variable that it defines.
  Number defined(Position at) const { return *definitions_[at]; }

private:
  void transfer(State& state, Position at);
  Number new_value(const State& state, const Instruction& instr);
  void find_changed();
  State begin_of(BlockId b, const std::vector<State>& ends);
  void join(BlockId b, State& state, const std::vector<const State*>& incoming);
  Number fresh() { return next_++; }
  // A variable's number stands as a name in the keys of expressions.
  std::optional<SimpleExpr> operand(const State& state, const SimpleExpr& e) const;
  std::optional<Expr> key(const State& state, const Expr& e) const;

  const Version& version_;
  const Function& function_;
  const Cfg& cfg_;
  const Loops& loops_;
  Number next_ = 0;
  std::vector<VarSet> changed_; // by loop: what is defined in it
  std::vector<std::optional<std::size_t>> loop_of_header_;
  std::vector<State> begins_;
  ExprTable expressions_;
  std::vector<std::optional<Number>> definitions_; // by position, once it has been there
  // By block and the numbers that come in: two variables with the same ones stay the same.
  std::map<std::pair<std::uint32_t, std::vector<Number>>, Number> joins_;
};

} // namespace sourir
