// Facts about the values of variables: the lattice of constants, negated constants, types, array
// lengths and types of elements (dissertation 2.5 "constant propagation"), for constprop and types;
// evaluation of expressions over facts, and facts that follow from evaluated expressions.
#pragma once

#include "sourir/analysis/var_map.h"
#include "sourir/semantics/value.h"

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace sourir {

// The types of each element of a short array.
inline constexpr std::size_t kMostElementTypes = 4;
// The most variables of which they are known, those that were set last.
inline constexpr std::size_t kMostShortArrays = 16;
struct ElementTypes {
  bool known() const { return count > 0; }
  TypeSet all() const;    // of any element
  std::uint8_t count = 0; // of elements; 0: not known
  std::array<TypeSet, kMostElementTypes> types{};
  friend bool operator==(const ElementTypes&, const ElementTypes&) = default;
};

struct Fact {
  TypeSet types = kAnyType;
  TypeSet elements = kAnyType;        // of an array, all of them; otherwise kAnyType
  ElementTypes each;                  // of an array
  std::optional<Literal> equals;      // the value, to the bit
  std::vector<Literal> differs;       // `x == literal` is false for each; sorted
  std::optional<std::int64_t> length; // of an array

  bool knows_nothing() const {
    return types == kAnyType && elements == kAnyType && !each.known() && !equals &&
           differs.empty() && !length;
  }
  // The fact that both imply.
  void join(const Fact& other);
  friend bool operator==(const Fact&, const Fact&) = default;
};
// The most literals that are excluded for one variable.
inline constexpr std::size_t kMostDiffers = 4;

Kind kind_of(const Literal& literal);
Fact fact_of(const Literal& literal);
Fact fact_of(TypeSet types);

// The facts at a position; variables that are not listed may have any value.
struct Facts {
  VarMap<Fact> known;
  bool passed = true; // false: unreachable, since an instruction before always fails or exits
  bool about_elements = false;   // whether some fact may have Fact::elements: others need no search
  std::vector<Var> short_arrays; // all variables whose fact has Fact::each, perhaps others
  struct StoredElement {
    Var array;
    TypeSet types;
    friend bool operator==(const StoredElement&, const StoredElement&) = default;
  };
  std::optional<StoredElement> last_stored; // still an element of the variable's array

  const Fact& about(Var x) const;
  Fact about(const SimpleExpr& e) const;
  void set(Var x, Fact fact);
  void forget(Var x);
  // After a store of a value of these types into the array of x, at that index if it is known.
  void stored(Var x, std::optional<std::int64_t> index, TypeSet types);
  // After code that may store into any array.
  void forget_elements();
  bool knows_elements() const { return about_elements || !short_arrays.empty(); }
  bool join(const Facts& other);
  friend bool operator==(const Facts& a, const Facts& b) {
    return a.passed == b.passed && a.known == b.known && a.last_stored == b.last_stored;
  }

private:
  bool is_short_array(Var x) const { return about(x).each.known(); }
  void set_each(Var x, const ElementTypes& each);
};

// The operand that an operation equals by the facts about its operands, as x in x + 0 if x is an
// integer; empty: none.
std::optional<SimpleExpr> identity(const Binary& e, const Facts& facts);
// The fact about the value of an expression, if it has one.
Fact evaluate(const Expr& e, const Facts& facts);
// Whether the evaluation cannot fail.
bool is_total(const Expr& e, const Facts& facts);
// Adds the facts that follow from an evaluation without error; false: it always fails.
bool learn_evaluated(const Expr& e, Facts& facts);
// Adds the facts that follow if its value is `holds`; false: its value cannot be that.
bool learn(const Expr& condition, bool holds, Facts& facts);

} // namespace sourir
