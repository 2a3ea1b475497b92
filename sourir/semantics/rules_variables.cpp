#include "sourir/semantics/eval.h"
#include "sourir/semantics/rules.h"

namespace sourir::rules {

// I(L) = var x = e    M E e -> v
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E[x <- v]>
Derivation Decl(const Config& c) {
  const auto& [x, e] = at<resolved::Decl>(c);
  const EvalResult v = e ? eval(c, *e) : EvalResult(Value(Nil{}));
  if (!v) return v.why;
  return effect::Bind{x, v.value};
}

// I(L) = drop x
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E\{x}>
Derivation Drop(const Config& c) { return effect::Unbind{at<resolved::Drop>(c).x}; }

// I(L) = x <- e    M E e -> v
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E[x <- v]>
Derivation Assign(const Config& c) {
  const auto& [x, e] = at<resolved::Assign>(c);
  const EvalResult v = eval(c, e);
  if (!v) return v.why;
  return effect::Bind{x, v.value};
}

} // namespace sourir::rules
