// Lemma 2: predicates are added to assumes, which may deoptimize at any time. Each predicate goes
// to the nearest dominating assume or anchor since which no variable that it reads has changed; an
// anchor becomes an assume. A predicate that is known not to hold where it is wanted, or beside
// those that are there, is not added: the exit would always be taken.
#pragma once

#include "sourir/passes/core/rewrite.h"

namespace sourir {

// What to speculate on in a version: hints in the program, branches of one outcome, feedback and
// assumptions that are given. Shared by speculate and insert-from-anchor.
struct Speculation {
  Position at; // the predicates are wanted before this position
  std::vector<Expr> predicates;
  bool hint = false; // from the guard_hint that stands there
};

inline constexpr OptionRow kSpeculationOptions[] = {
    {"branches", "true|false", "expect that branches go this way"},
    {"hints", "true|false", "use guard_hints (true)"},
};

// By position.
std::vector<Speculation> wanted_speculations(VersionTask& task);

// Predicates (all total as guards) that imply the outcome of the condition; empty: they would have
// to nest. An order is negated as the opposite order, which a NaN does not satisfy either.
std::vector<Expr> predicates_for(const Expr& condition, bool outcome);

inline constexpr const auto& kSpeculateOptions = kSpeculationOptions;

std::optional<PassResult> speculate(const PassInput& input);

} // namespace sourir
