// Evaluation of expressions and guards, M E e -> v (dissertation Figures 2.16 and 2.17): a partial
// function. Operands are evaluated left to right, then their types are checked, then bounds or
// zero. It is a template over the memory: the heap of a configuration, a heap that a `with` block
// extends, that of native code.
#pragma once

#include "sourir/semantics/config.h"

#include <concepts>

namespace sourir {

// M: length and elements of arrays, and whether all elements have a type of kElementTypes.
// Precondition of element: the index is below the length.
template <class M>
concept Memory = requires(const M& memory, Value array, std::uint64_t index, Tag tag) {
  { memory.length(array) } -> std::same_as<std::uint64_t>;
  { memory.element(array, index) } -> std::same_as<Value>;
  { memory.elements_are(array, tag) } -> std::same_as<bool>;
};

// [Literal] [Funref] [Lookup]: E se -> v is total, since the names are in scope.
inline Value eval(Env env, const resolved::Operand& se) {
  return se.slot == resolved::kLiteral ? se.literal : env[se.slot];
}

// [VecAccess]
template <Memory M>
EvalResult element(const M& memory, Value array, Value index) {
  if (!array.is(Tag::Array) || !index.is(Tag::Int)) return StuckReason::WrongType;
  const auto i = static_cast<std::uint64_t>(index.as_int());
  if (i >= memory.length(array)) return StuckReason::OutOfBounds;
  return memory.element(array, i);
}

// [VecLen]
template <Memory M>
EvalResult length(const M& memory, Value array) {
  if (!array.is(Tag::Array)) return StuckReason::WrongType;
  return Value(static_cast<std::int64_t>(memory.length(array)));
}

template <Memory M>
EvalResult eval_operation(const M& memory, Env env, const resolved::Expr& e) {
  const Value a = eval(env, e.a);
  switch (e.shape) {
  case resolved::Shape::Simple: return a;
  case resolved::Shape::Unary: return apply_unary(static_cast<UnaryOp>(e.op), a);
  case resolved::Shape::Binary: // [Primop]
    return apply_binary(static_cast<BinaryOp>(e.op), a, eval(env, e.b));
  case resolved::Shape::Index: return element(memory, a, eval(env, e.b));
  case resolved::Shape::Length: return length(memory, a);
  case resolved::Shape::KindTest: return Value(kind_of(a) == static_cast<Kind>(e.op));
  case resolved::Shape::ElementsTest: // [ElementsTest]
    return Value(a.is(Tag::Array) && memory.elements_are(a, static_cast<Tag>(e.op)));
  }
  return a;
}
extern template EvalResult eval_operation(const Heap&, Env, const resolved::Expr&);

// [SimpleExp], and by eval_operation the rules of the other shapes.
template <Memory M>
EvalResult eval(const M& memory, Env env, const resolved::Expr& e) {
  if (e.shape == resolved::Shape::Simple) return eval(env, e.a);
  return eval_operation(memory, env, e);
}

inline EvalResult eval(const Config& c, const resolved::Expr& e) {
  return eval(c.heap, c.env(), e);
}

// Guards never get stuck: one that has no value, or is not true, counts as false
// (dissertation 2.6).
template <Memory M>
bool holds(const M& memory, Env env, const resolved::Expr& guard) {
  const EvalResult v = eval(memory, env, guard);
  return v && v.value.is_true();
}

// Guards are tested in order: the index of the first that does not hold, or guards.size().
template <Memory M>
std::size_t first_failing(const M& memory, Env env, const std::vector<resolved::Expr>& guards) {
  std::size_t i = 0;
  while (i < guards.size() && holds(memory, env, guards[i])) ++i;
  return i;
}
extern template std::size_t first_failing(const Heap&, Env, const std::vector<resolved::Expr>&);

} // namespace sourir
