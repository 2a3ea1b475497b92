// What is known about the value of a variable: the lattice of constants, negated constants and
// kinds (dissertation 2.5 "constant propagation"; passes.md constprop and kinds).
#pragma once

#include "sourir/analysis/var_map.h"
#include "sourir/semantics/value.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sourir {

struct Fact {
  TypeSet kinds = kAnyType;
  std::optional<Literal> equals;      // the value, to the bit
  std::vector<Literal> differs;       // `x == literal` is false for each; sorted
  std::optional<std::int64_t> length; // of an array

  bool knows_nothing() const { return kinds == kAnyType && !equals && differs.empty() && !length; }
  // To what both say.
  void join(const Fact& other);
  friend bool operator==(const Fact&, const Fact&) = default;
};
// So many at most are learned about one variable.
inline constexpr std::size_t kMostDiffers = 4;

Kind kind_of(const Literal& literal);
Fact fact_of(const Literal& literal);
Fact fact_of(TypeSet kinds);

// What is known at a position; variables that are not listed may be anything.
struct Facts {
  VarMap<Fact> known;
  bool passed = true; // false: behind what always fails or leaves, so control never comes here

  const Fact& about(Var x) const;
  Fact about(const SimpleExpr& e) const;
  void set(Var x, Fact fact);
  bool join(const Facts& other);
  friend bool operator==(const Facts&, const Facts&) = default;
};

// What an operation is the same as, by what is known of its operands: x + 0 where x is an integer.
std::optional<SimpleExpr> identity(const Binary& e, const Facts& facts);
// The value of an expression, supposing that it has one.
Fact evaluate(const Expr& e, const Facts& facts);
// The evaluation cannot fail.
bool is_total(const Expr& e, const Facts& facts);
// What evaluating the expression without an error tells about its variables; false: it always
// fails.
bool learn_evaluated(const Expr& e, Facts& facts);
// What its value being `holds` tells; false: it cannot be.
bool learn(const Expr& condition, bool holds, Facts& facts);

} // namespace sourir
