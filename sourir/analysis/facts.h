// What is known about the value of a variable: the lattice of constants, negated constants and
// kinds (dissertation 2.5 "constant propagation"; passes.md constprop and kinds).
#pragma once

#include "sourir/analysis/var_map.h"
#include "sourir/semantics/value.h"

#include <cstdint>
#include <optional>
#include <vector>

namespace sourir {

// A set of kinds, one bit each.
class Kinds {
public:
  constexpr Kinds() = default; // none
  constexpr Kinds(Kind k) : bits_(static_cast<std::uint8_t>(1U << static_cast<unsigned>(k))) {}
  static constexpr Kinds all() { return from_bits(0x7f); }

  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool has(Kind k) const { return (bits_ & Kinds(k).bits_) != 0; }
  constexpr bool within(Kinds other) const { return (bits_ & ~other.bits_) == 0; }
  friend constexpr Kinds operator|(Kinds a, Kinds b) { return from_bits(a.bits_ | b.bits_); }
  friend constexpr Kinds operator&(Kinds a, Kinds b) { return from_bits(a.bits_ & b.bits_); }
  friend constexpr Kinds operator-(Kinds a, Kinds b) { return from_bits(a.bits_ & ~b.bits_); }
  friend constexpr bool operator==(Kinds, Kinds) = default;

private:
  static constexpr Kinds from_bits(unsigned bits) {
    Kinds k;
    k.bits_ = static_cast<std::uint8_t>(bits);
    return k;
  }
  std::uint8_t bits_ = 0;
};

inline constexpr Kinds kNumbers = Kinds(Kind::Int) | Kinds(Kind::Float);

struct Fact {
  Kinds kinds = Kinds::all();
  std::optional<Literal> equals;      // the value, to the bit
  std::vector<Literal> differs;       // `x == literal` is false for each; sorted
  std::optional<std::int64_t> length; // of an array

  bool knows_nothing() const {
    return kinds == Kinds::all() && !equals && differs.empty() && !length;
  }
  // To what both say.
  void join(const Fact& other);
  friend bool operator==(const Fact&, const Fact&) = default;
};
// So many at most are learned about one variable.
inline constexpr std::size_t kMostDiffers = 4;

Kind kind_of(const Literal& literal);
Fact fact_of(const Literal& literal);
Fact fact_of(Kinds kinds);

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
