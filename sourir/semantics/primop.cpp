#include "sourir/semantics/primop.h"

#include <cmath>
#include <compare>
#include <limits>

namespace sourir {

const char* name_of(StuckReason reason) {
  static constexpr const char* kNames[] = {
      "none",           "wrong-type",  "out-of-bounds",    "bad-length",      "division-by-zero",
      "not-a-function", "wrong-arity", "assertion-failed", "input-exhausted", "bad-input"};
  return kNames[static_cast<std::size_t>(reason)];
}

namespace {

bool is_number(Value v) { return v.is(Tag::Int) || v.is(Tag::Float); }

double to_double(Value v) {
  return v.is(Tag::Int) ? static_cast<double>(v.as_int()) : v.as_float();
}

// Exact, not by conversion: 2^53 + 1 is greater than 2.0^53.
std::partial_ordering compare(std::int64_t a, double b) {
  constexpr double kLimit = 9223372036854775808.0; // 2^63
  if (std::isnan(b)) return std::partial_ordering::unordered;
  if (b >= kLimit) return std::partial_ordering::less;
  if (b < -kLimit) return std::partial_ordering::greater;
  const auto whole = static_cast<std::int64_t>(b);
  if (a != whole) return a <=> whole;
  return 0.0 <=> b - static_cast<double>(whole);
}

std::partial_ordering reverse(std::partial_ordering order) { return 0 <=> order; }

std::partial_ordering order(Value a, Value b) {
  if (a.is(Tag::Int))
    return b.is(Tag::Int) ? std::partial_ordering(a.as_int() <=> b.as_int())
                          : compare(a.as_int(), b.as_float());
  return b.is(Tag::Int) ? reverse(compare(b.as_int(), a.as_float()))
                        : a.as_float() <=> b.as_float();
}

EvalResult int_arithmetic(BinaryOp op, std::int64_t a, std::int64_t b) {
  const auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  const auto wrap = [](std::uint64_t n) { return Value(static_cast<std::int64_t>(n)); };
  switch (op) {
  case BinaryOp::Add: return wrap(ua + ub);
  case BinaryOp::Sub: return wrap(ua - ub);
  case BinaryOp::Mul: return wrap(ua * ub);
  default: break;
  }
  if (b == 0) return StuckReason::DivisionByZero;
  if (b == -1) // the hardware traps on minimum / -1
    return op == BinaryOp::Div ? wrap(0 - ua) : Value(std::int64_t{0});
  return Value(op == BinaryOp::Div ? a / b : a % b);
}

Value float_arithmetic(BinaryOp op, double a, double b) {
  switch (op) {
  case BinaryOp::Add: return Value(a + b);
  case BinaryOp::Sub: return Value(a - b);
  case BinaryOp::Mul: return Value(a * b);
  case BinaryOp::Div: return Value(a / b);
  default: return Value(std::fmod(a, b));
  }
}

EvalResult ordering(BinaryOp op, Value a, Value b) {
  const std::partial_ordering o = order(a, b);
  switch (op) {
  case BinaryOp::Lt: return Value(o < 0);
  case BinaryOp::Le: return Value(o <= 0);
  case BinaryOp::Gt: return Value(o > 0);
  default: return Value(o >= 0);
  }
}

} // namespace

bool equal(Value a, Value b) {
  if (a.is(Tag::Float) && b.is(Tag::Float)) return a.as_float() == b.as_float();
  return a == b;
}

EvalResult apply_unary(UnaryOp op, Value v) {
  if (op == UnaryOp::Not)
    return v.is(Tag::Bool) ? EvalResult(Value(!v.as_bool())) : StuckReason::WrongType;
  if (v.is(Tag::Int)) return int_arithmetic(BinaryOp::Sub, 0, v.as_int());
  return v.is(Tag::Float) ? EvalResult(Value(-v.as_float())) : StuckReason::WrongType;
}

EvalResult apply_binary(BinaryOp op, Value a, Value b) {
  switch (op) {
  case BinaryOp::Eq: return Value(equal(a, b));
  case BinaryOp::Ne: return Value(!equal(a, b));
  case BinaryOp::And:
  case BinaryOp::Or:
    if (!a.is(Tag::Bool) || !b.is(Tag::Bool)) return StuckReason::WrongType;
    return Value(op == BinaryOp::And ? a.as_bool() && b.as_bool() : a.as_bool() || b.as_bool());
  default: break;
  }
  if (!is_number(a) || !is_number(b)) return StuckReason::WrongType;
  if (op >= BinaryOp::Lt && op <= BinaryOp::Ge) return ordering(op, a, b);
  if (a.is(Tag::Int) && b.is(Tag::Int)) return int_arithmetic(op, a.as_int(), b.as_int());
  return float_arithmetic(op, to_double(a), to_double(b));
}

} // namespace sourir
