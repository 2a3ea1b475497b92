#include "sourir/semantics/eval.h"
#include "sourir/semantics/materialize.h"
#include "sourir/semantics/rules.h"

namespace sourir::rules {

namespace {

bool guards_hold(const Config& c, const resolved::Assume& i) {
  return first_failing(c.heap, c.env(), i.guards) == i.guards.size();
}

// Whether the schedule takes the exit here, where it may but need not be taken. An exit back to
// its own place with the identity is no way out: it would repeat for ever.
bool leaves(const Config& c, const resolved::Exit& exit) {
  return !exit.stays && c.schedule->leaves(c.opportunities + 1, c.returned, c.code, c.pc);
}

Transition pass(const Config& c, const resolved::Exit& exit) {
  return {effect::Move{c.pc + 1}, {}, !exit.stays};
}

// deoptimize(C, xi, xi*)
Derivation deoptimize(const Config& c, const resolved::Exit& exit, bool opportunity) {
  return match(
      materialize(c, exit),
      [&](NewFrames&& to) {
        return Derivation(Transition{effect::Replace{std::move(to)}, {}, opportunity});
      },
      [](StuckReason why) { return Derivation(why); },
      [](Limit limit) { return Derivation(limit); });
}

} // namespace

// I(L) = assume e* else xi xi*    M E ei -> true for all i
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E>
Derivation AssumePass(const Config& c) {
  const auto& i = at<resolved::Assume>(c);
  if (!guards_hold(c, i) || leaves(c, i.exit)) return kOtherRule;
  return pass(c, i.exit);
}

// I(L) = assume e* else xi xi*    not (M E ei -> true for all i)
// ----------------------------------------------------------------------------
// C = <P I L K* M E>  --tau-->  deoptimize(C, xi, xi*)
Derivation AssumeDeopt(const Config& c) {
  const auto& i = at<resolved::Assume>(c);
  if (guards_hold(c, i)) return kOtherRule;
  return deoptimize(c, i.exit, false);
}

// [ext]  I(L) = assume e* else xi xi*    M E ei -> true for all i    the schedule says leave
// ----------------------------------------------------------------------------
// C = <P I L K* M E>  --tau-->  deoptimize(C, xi, xi*)
// Assumption transparency makes it a legal step; checks force it.
Derivation AssumeLeave(const Config& c) {
  const auto& i = at<resolved::Assume>(c);
  if (!guards_hold(c, i) || !leaves(c, i.exit)) return kOtherRule;
  return deoptimize(c, i.exit, true);
}

// [ext]  I(L) = anchor else xi xi*    the schedule says stay       (2.8, CoreJIT)
// ------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I (L+1) K* M E>
Derivation AnchorPass(const Config& c) {
  const auto& i = at<resolved::Anchor>(c);
  if (leaves(c, i.exit)) return kOtherRule;
  return pass(c, i.exit);
}

// [ext]  I(L) = anchor else xi xi*    the schedule says leave
// ----------------------------------------------------------------------------
// C = <P I L K* M E>  --tau-->  deoptimize(C, xi, xi*)
Derivation AnchorDeopt(const Config& c) {
  const auto& i = at<resolved::Anchor>(c);
  if (!leaves(c, i.exit)) return kOtherRule;
  return deoptimize(c, i.exit, true);
}

} // namespace sourir::rules
