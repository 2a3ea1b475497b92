#include "sourir/analysis/facts_at.h"

#include <algorithm>

namespace sourir {

const Facts* FactsAt::before(Position at) {
  const Cfg& cfg = analyses_.cfg();
  const BlockId block = cfg.block_of(at);
  if (block_ != block || at < at_) {
    const auto& known =
        (after_calls_ ? analyses_.constants_after_calls() : analyses_.constants())[block.id];
    if (!known) return nullptr;
    block_ = block;
    at_ = cfg[block].begin;
    facts_ = *known;
  }
  Constants& problem =
      after_calls_ ? analyses_.constants_after_calls_problem() : analyses_.constants_problem();
  for (; at_ < at; ++at_) problem.transfer(facts_, at_);
  return facts_.passed ? &facts_ : nullptr;
}

bool holds(const Expr& predicate, const Facts& facts) {
  return evaluate(predicate, facts).equals == Literal(true) && is_total(predicate, facts);
}

bool cannot_hold(const std::vector<Expr>& predicates, Facts facts) {
  return !std::ranges::all_of(predicates, [&](const Expr& e) {
    return evaluate(e, facts).equals != Literal(false) && learn(e, true, facts);
  });
}

} // namespace sourir
