// M E e -> v (dissertation Figures 2.16 and 2.17): a partial function. Operands are evaluated
// left to right, then their kinds are looked at, then bounds or zero.
#pragma once

#include "sourir/semantics/config.h"

namespace sourir {

// [Literal] [Funref] [Lookup]: E se -> v is total, since the names are in scope.
inline Value eval(Env env, const code::Operand &se) {
  return se.slot == code::kLiteral ? se.literal : env[se.slot];
}

Result eval_operation(const Heap &heap, Env env, const code::Expr &e);

// [SimpleExp] and the rest.
inline Result eval(const Heap &heap, Env env, const code::Expr &e) {
  if (e.shape == code::Shape::Simple)
    return eval(env, e.a);
  return eval_operation(heap, env, e);
}

inline Result eval(const Config &c, const code::Expr &e) { return eval(c.heap, c.env(), e); }

// Guards never get stuck: what has no value, or is not true, counts as false (dissertation 2.6).
inline bool holds(const Heap &heap, Env env, const code::Expr &guard) {
  const Result v = eval(heap, env, guard);
  return v && v.value.is_true();
}

// Tested in order; the index of the first that is not true, or guards.size().
std::size_t first_failing(const Heap &heap, Env env, const std::vector<code::Expr> &guards);

} // namespace sourir
