// Feedback about places of a program, from profiles and from people: branch counts and predicates
// (docs/schemas/feedback.schema.json).
#pragma once

#include "sourir/syntax/ast.h"

#include <cstdint>
#include <vector>

namespace sourir {

struct Feedback {
  struct BranchCounts {
    Place at;
    std::uint64_t taken = 0, not_taken = 0;
  };
  struct Predicate { // a predicate that held whenever the place was reached
    Place at;
    Expr predicate;
  };
  std::vector<BranchCounts> branches;
  std::vector<Predicate> predicates;
};

} // namespace sourir
