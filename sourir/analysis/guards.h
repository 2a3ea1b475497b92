// Available predicates: conditions that hold at a position on all paths to it, because the context
// held at the start, an assume or assert was passed or a branch taken, and no instruction has
// changed their variables since. A predicate that reads an element (`a[i]`) holds until a store
// that may alias it, or a call that may write. None is available at the other roots, the targets of
// exits. For hoist-predicates and drop-assumes (dissertation 2.5, Lemma 7).
#pragma once

#include "sourir/analysis/dataflow.h"
#include "sourir/analysis/effects.h"
#include "sourir/analysis/expr_hash.h"
#include "sourir/analysis/facts.h"

#include <unordered_map>

namespace sourir {

// The value of `expr`, which has one, is `holds`. normal() replaces `!=` and `!` by `==` and the
// operand, with `holds` negated, `>` and `>=` by `<` and `<=`, with the operands swapped, and
// orders the operands of `==`, literals last.
struct Predicate {
  Expr expr;
  bool holds = true;
  friend bool operator==(const Predicate&, const Predicate&) = default;
};
Predicate normal(const Expr& e, bool holds = true);

class AvailableGuards {
public:
  // The numbers of predicates, ascending; join is intersection.
  struct State {
    std::vector<std::uint32_t> known;
    bool join(const State& other);
    friend bool operator==(const State&, const State&) = default;
  };
  static constexpr Direction kDirection = Direction::Forward;

  // `effects` null: calls may have any effect. The instruction at `without` contributes nothing.
  AvailableGuards(const Version& version, const Cfg& cfg, const ProgramEffects* effects,
                  std::optional<Position> without = {});

  State boundary(BlockId root);
  void transfer(State& state, Position at);
  bool edge(State& state, BlockId from, std::size_t k);

  // A guard that is tested here and holds.
  void hold(State& state, const Expr& guard) { add(state, guard, true); }

  // The value of the expression in this state, which then has one, if known: by the expression
  // itself, by another order of its operands, or by the bounds of its variable. `facts` hold the
  // variables that are integers (only for integers is the negation of `<` equal to `>=`).
  std::optional<bool> value(const State& state, const Expr& e, const Facts& facts) const;
  // In the order of their first occurrence in the version.
  std::vector<Predicate> list(const State& state) const;

private:
  void add(State& state, const Expr& e, bool holds);
  void add_one(State& state, const Predicate& predicate);
  void forget(State& state, Var x) const;
  void forget_elements(State& state, const ArrayUpdate* store) const;
  std::optional<bool> find(const State& state, const Expr& normal) const;
  std::optional<bool> order(const State& state, const Binary& e, const Facts& facts) const;
  std::optional<bool> by_bounds(const State& state, const Binary& e, const Facts& facts) const;

  const Version& version_;
  const Cfg& cfg_;
  const ProgramEffects* effects_;
  std::optional<Position> without_;
  std::vector<Expr> exprs_;
  std::unordered_map<Expr, std::uint32_t, ExprHash> ids_;
};

// The most predicates of one state.
inline constexpr std::size_t kMostGuards = 64;

} // namespace sourir
