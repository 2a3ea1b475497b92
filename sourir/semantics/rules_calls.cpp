#include "sourir/semantics/eval.h"
#include "sourir/semantics/rules.h"

namespace sourir::rules {

// I(L) = call x = e(e1, .., en)    M E e -> F    M E ei -> vi
// P(F) = F(x1, .., xn) : V : I', ..    E' = [x1 <- v1, .., xn <- vn]
// ----------------------------------------------------------------------------
// <P I L K* M E>  --tau-->  <P I' start(I') (<I (L+1) x E> K*) M E'>
Derivation Call(const Config& c) {
  const auto& i = at<resolved::Call>(c);
  const EvalResult callee = eval(c, i.callee);
  if (!callee) return callee.why;
  if (!callee.value.is(Tag::Fun)) return StuckReason::NotAFunction;
  const LinkedProgram::Fun& f = *c.program->function(callee.value.as_fun());
  if (f.arity != i.arguments.size()) return StuckReason::WrongArity;
  std::vector<Value> arguments;
  arguments.reserve(f.arity);
  for (const resolved::Expr& e : i.arguments) {
    const EvalResult v = eval(c, e);
    if (!v) return v.why;
    arguments.push_back(v.value);
  }
  const ResolvedVersion* version = entered(c, f, arguments.data());
  return effect::Push{version, i.x, std::move(arguments)};
}

// I(L) = return e    M E e -> v
// ----------------------------------------------------------------------------
// <P I L (<I' L' x E'> K*) M E>  --tau-->  <P I' L' K* M E'[x <- v]>
Derivation Return(const Config& c) {
  if (c.frames.empty()) return kOtherRule;
  const EvalResult v = eval(c, at<resolved::Return>(c).e);
  if (!v) return v.why;
  return effect::Pop{v.value};
}

// [ext]  I(L) = return e    M E e -> v
// ------------------------------------------------------------
// <P I L . M E>  --stop v-->  <P epsilon L . M E>
Derivation ReturnStop(const Config& c) {
  if (!c.frames.empty()) return kOtherRule;
  const EvalResult v = eval(c, at<resolved::Return>(c).e);
  if (!v) return v.why;
  return Transition{effect::Halt{}, {ActionKind::Stop, v.value}};
}

} // namespace sourir::rules
