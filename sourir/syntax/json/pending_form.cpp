#include "sourir/syntax/json/pending_form.h"

#include "sourir/syntax/mentions.h"

namespace sourir {

std::optional<Pending> pending_form(const Metadata& state, Var result) {
  const Expr whole = SimpleExpr(result);
  OuterFrame frame{state.frame.target, {}, {}, state.frame.unknown};
  bool found = false, other = false;
  const auto look = [&](const Expr& e) {
    other |= mentions(e, result) || std::holds_alternative<Index>(e);
  };
  for (const Binding& b : state.frame.varmap) {
    if (!found && b.value == whole) {
      frame.result = b.name;
      found = true;
    } else {
      look(b.value);
      frame.varmap.push_back(b);
    }
  }
  for (const OuterFrame& outer : state.outer)
    for (const Binding& b : outer.varmap) look(b.value);
  for (const Deferred& d : state.with) for_each_expr(d.instr, look);
  if (!found || other) return std::nullopt;
  Pending pending{{frame}, state.with};
  pending.frames.insert(pending.frames.end(), state.outer.begin(), state.outer.end());
  return pending;
}

} // namespace sourir
