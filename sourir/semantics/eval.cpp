#include "sourir/semantics/eval.h"

namespace sourir {

namespace {

// [VecAccess]
Result element(const Heap &heap, Value array, Value index) {
  if (!array.is(Tag::Array) || !index.is(Tag::Int))
    return StuckReason::WrongKind;
  const std::vector<Value> &block = heap.blocks[array.as_array().index];
  if (static_cast<std::uint64_t>(index.as_int()) >= block.size())
    return StuckReason::OutOfBounds;
  return block[static_cast<std::size_t>(index.as_int())];
}

// [VecLen]
Result length(const Heap &heap, Value array) {
  if (!array.is(Tag::Array))
    return StuckReason::WrongKind;
  return Value(static_cast<std::int64_t>(heap.blocks[array.as_array().index].size()));
}

} // namespace

Result eval_operation(const Heap &heap, Env env, const code::Expr &e) {
  const Value a = eval(env, e.a);
  switch (e.shape) {
  case code::Shape::Simple:
    return a;
  case code::Shape::Unary:
    return apply_unary(static_cast<UnaryOp>(e.op), a);
  case code::Shape::Binary: // [Primop]
    return apply_binary(static_cast<BinaryOp>(e.op), a, eval(env, e.b));
  case code::Shape::Index:
    return element(heap, a, eval(env, e.b));
  case code::Shape::Length:
    return length(heap, a);
  case code::Shape::KindTest:
    return Value(kind_of(a) == static_cast<Kind>(e.op));
  }
  return a;
}

std::size_t first_failing(const Heap &heap, Env env, const std::vector<code::Expr> &guards) {
  std::size_t i = 0;
  while (i < guards.size() && holds(heap, env, guards[i]))
    ++i;
  return i;
}

} // namespace sourir
