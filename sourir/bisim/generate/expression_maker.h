// Expressions of a wanted type over the variables in scope.
#pragma once

#include "sourir/bisim/generate/random_context.h"
#include "sourir/bisim/generate/tree_builder.h"

namespace sourir::random {

class ExpressionMaker {
public:
  // Declarations of new arrays are appended to `nodes`, the builder of `tree`.
  ExpressionMaker(Generation& generation, Tree& tree, TreeBuilder& nodes);

  Expr expr(const Type& want);
  SimpleExpr simple(const Type& want);
  Expr bool_operation();
  // An element of some array in scope; none: there is no such element in bounds.
  std::optional<Expr> element(const Type& want);
  std::optional<SimpleExpr> index_inside(VarIndex array); // an index in bounds
  // A new array, declared here; all that it holds is made before it.
  VarIndex make_array(const Type& want);
  // One of the types, preferably one that occurs as a literal.
  Kind pick_kind(TypeSet set);
  // Whether an operand may be of a wrong type or value here.
  bool goes_wrong() {
    return generation_.policy.errors > 0 && choices().chance(generation_.policy.errors, 1000);
  }

private:
  ChoiceSequence& choices() { return generation_.choices; }
  bool has(Feature f) const { return generation_.policy.has(f); }
  Literal literal(Kind k, const Type& want);
  std::int64_t integer();
  double floating();
  FunName function_value(std::uint8_t family);
  Expr int_operation();
  Expr float_operation();
  Expr comparison();
  Expr type_test();
  SimpleExpr array(const Type& want);

  Generation& generation_;
  Tree& tree_;
  TreeBuilder& nodes_;
  TypeSet literal_types_; // that occur as literals
};

} // namespace sourir::random
