#include "sourir/semantics/eval.h"
#include "sourir/semantics/rules.h"

namespace sourir::rules {

// I(L) = read x    v is the next literal of the input
// ------------------------------------------------------------
// <P I L K* M E>  --read v-->  <P I (L+1) K* M E[x <- v]>
Derivation Read(const Config& c) {
  const EvalResult v = c.input->at(c.input_position);
  if (!v) return v.why;
  if (v.value.is(Tag::Fun) && !c.program->function(v.value.as_fun())) return StuckReason::BadInput;
  return Transition{effect::Bind{at<resolved::Read>(c).x, v.value}, {ActionKind::Read, v.value}};
}

// I(L) = print e    M E e -> v
// ------------------------------------------------------------
// <P I L K* M E>  --print v-->  <P I (L+1) K* M E>
Derivation Print(const Config& c) {
  const EvalResult v = eval(c, at<resolved::Print>(c).e);
  if (!v) return v.why;
  return Transition{effect::Move{c.pc + 1}, {ActionKind::Print, v.value}};
}

} // namespace sourir::rules
