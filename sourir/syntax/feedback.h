// Feedback about places of a program, from profiles and from people: branch counts and predicates
// (docs/schemas/feedback.schema.json).
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/type_set.h"

#include <array>
#include <cstdint>
#include <string>
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
  // Of functions that may be inlined, too: the types of what instructions always bound, as
  // predicates (x is T) at the place after the instruction, and those of the elements of the arrays
  // that they access, as (a is T[]) at the place of the instruction, before which they held;
  // instructions that were never executed.
  std::vector<Predicate> results;
  std::vector<Place> unreached;
  // Calls of the function that these guards hold for enter a version of their own, which the
  // program does not contain.
  struct Dispatched {
    FunName function;
    std::vector<Expr> when;
  };
  std::vector<Dispatched> dispatched;
};

// A file of feedback: what passes speculate on, and what a run has recorded besides.
struct FeedbackFile {
  struct Types { // a variable, and the types that it was bound to just before the place
    Place at;
    Var name;
    TypeSet types;
  };
  struct Targets { // of the call at the place; others: there were more than fit
    Place at;
    std::vector<FunName> functions;
    bool others = false;
  };
  struct Samples { // of a variable in native code, by type
    std::string code, at, name;
    bool elements = false; // of the elements of the array in it; nil: of any
    std::array<std::uint32_t, kTypes> counts{};
  };
  struct OfFunction { // what the tiers made its last optimized version from
    FunName function;
    Feedback feedback;
    std::vector<Expr> when; // the context of that version; none: it is for all calls
  };
  bool complete = true; // false: the run ended in native code, so only `functions` is known
  Feedback feedback;    // at the end of the run
  std::vector<OfFunction> functions;
  // For information: feedback that justifies no predicate is part of these, too.
  std::vector<Types> types;
  std::vector<Targets> targets;
  std::vector<Feedback::BranchCounts> branch_counts;
  std::vector<Samples> samples;

  // Null: there is none of the function.
  const OfFunction* of(FunName function) const {
    for (const OfFunction& one : functions)
      if (one.function == function) return &one;
    return nullptr;
  }
};

} // namespace sourir
