#include "sourir/semantics/eval.h"
#include "sourir/semantics/rules.h"

namespace sourir::rules {

// I(L) = branch e L1 L2    M E e -> true
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I L1 K* M E>
Derivation BranchTrue(const Config& c) {
  const auto& i = at<resolved::Branch>(c);
  const EvalResult v = eval(c, i.e);
  if (!v || !v.value.is(Tag::Bool)) return v ? StuckReason::WrongKind : v.why;
  if (!v.value.is_true()) return kOtherRule;
  return effect::Move{i.if_true};
}

// I(L) = branch e L1 L2    M E e -> false
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I L2 K* M E>
Derivation BranchFalse(const Config& c) {
  const auto& i = at<resolved::Branch>(c);
  const EvalResult v = eval(c, i.e);
  if (!v || !v.value.is(Tag::Bool)) return v ? StuckReason::WrongKind : v.why;
  if (v.value.is_true()) return kOtherRule;
  return effect::Move{i.if_false};
}

// I(L) = goto L'
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I L' K* M E>
Derivation Goto(const Config& c) { return effect::Move{at<resolved::Goto>(c).target}; }

// [ext]  I(L) = assert e    M E e -> true
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E>
Derivation AssertPass(const Config& c) {
  const EvalResult v = eval(c, at<resolved::Assert>(c).e);
  if (!v || !v.value.is(Tag::Bool)) return v ? StuckReason::WrongKind : v.why;
  if (!v.value.is_true()) return StuckReason::AssertionFailed;
  return effect::Move{c.pc + 1};
}

// [ext]  I(L) = guard_hint e*
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E>
Derivation Hint(const Config& c) { return effect::Move{c.pc + 1}; }

// I(L) = stop e    M E e -> v          ("stop" alone is "stop 0"; "stop e" is [ext])
// ------------------------------------------------------------
// <P I L K* M E>  --stop v-->  <P epsilon L K* M E>
Derivation Stop(const Config& c) {
  const EvalResult v = eval(c, at<resolved::Stop>(c).e);
  if (!v) return v.why;
  return Transition{effect::Halt{}, {ActionKind::Stop, v.value}};
}

} // namespace sourir::rules
