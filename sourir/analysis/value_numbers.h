// Value numbers: variables with equal numbers at a position have values that are equal to the bit
// (all NaNs count as equal). One walk over the blocks in reverse postorder: variables that a loop
// changes get new numbers at its header, as do those with different numbers at a join. Reads of
// elements, calls and inputs get a new number each. At roots other than a start without incoming
// edges, and at headers of irreducible cycles, no variable has a number.
#pragma once

#include "sourir/analysis/expr_hash.h"
#include "sourir/analysis/loops.h"
#include "sourir/analysis/var_map.h"

#include <map>
#include <optional>
#include <vector>

namespace sourir {

// An open-addressing hash table of expressions, whose entries are in the order of insertion.
class ExprTable {
public:
  // The number of the expression; `fresh`, which becomes its number, at the first lookup.
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
  std::vector<std::uint32_t> slots_ = std::vector<std::uint32_t>(64, kFree); // indices of entries_
};

class ValueNumbers {
public:
  using Number = std::uint32_t;
  using State = VarMap<Number>; // variables whose values are unknown have no number

  ValueNumbers(const Version& version, const Function& function, const Cfg& cfg,
               const Loops& loops);

  // visit(position, numbers before it) for all reachable positions.
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
  // Empty: the expression reads an element, or a variable without a number.
  std::optional<Number> number(const State& state, const Expr& e);
  // The number of the variable that the instruction defines. Precondition: there is one, and the
  // position is reachable.
  Number defined(Position at) const { return *definitions_[at]; }

private:
  void transfer(State& state, Position at);
  Number new_value(const State& state, const Instruction& instr);
  void find_changed();
  State begin_of(BlockId b, const std::vector<State>& ends);
  void join(BlockId b, State& state, const std::vector<const State*>& incoming);
  Number fresh() { return next_++; }
  // In the keys of expressions a variable's number is a name.
  std::optional<SimpleExpr> operand(const State& state, const SimpleExpr& e) const;
  std::optional<Expr> key(const State& state, const Expr& e) const;

  const Version& version_;
  const Function& function_;
  const Cfg& cfg_;
  const Loops& loops_;
  Number next_ = 0;
  std::vector<VarSet> changed_; // by loop: the variables that it defines
  std::vector<std::optional<std::size_t>> loop_of_header_;
  std::vector<State> begins_;
  ExprTable expressions_;
  std::vector<std::optional<Number>> definitions_; // by position, once visited
  // By block and incoming numbers: two variables with the same ones keep equal numbers.
  std::map<std::pair<std::uint32_t, std::vector<Number>>, Number> joins_;
};

} // namespace sourir
