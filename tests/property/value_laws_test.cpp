// The primitive operations against arithmetic that cannot overflow or iteration.
#include "sourir/semantics/primop.h"
#include "tests/property/cases.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace sourir::testing {

namespace {

__extension__ typedef __int128 Wide;
__extension__ typedef unsigned __int128 UnsignedWide;
using Limits64 = std::numeric_limits<std::int64_t>;
static_assert(std::numeric_limits<long double>::digits >= 64, "exact for int64 and double");

std::uint64_t bits(ChoiceSequence& choices) {
  return std::uint64_t{choices.word()} << 32 | choices.word();
}

// Often near a power of two, where conversions and overflow show.
std::int64_t integer(ChoiceSequence& choices) {
  const auto near = static_cast<std::int64_t>(choices.below(5)) - 2;
  switch (choices.below(4)) {
  case 0: return near;
  case 1:
    return static_cast<std::int64_t>((std::uint64_t{1} << choices.below(64)) +
                                     static_cast<std::uint64_t>(near));
  case 2: return -static_cast<std::int64_t>(std::uint64_t{1} << choices.below(63)) + near;
  default: return static_cast<std::int64_t>(bits(choices));
  }
}

double floating(ChoiceSequence& choices) {
  switch (choices.below(5)) {
  case 0: return static_cast<double>(integer(choices));
  case 1: // a neighbour
    return std::nextafter(static_cast<double>(integer(choices)),
                          choices.chance(1, 2) ? 1e300 : -1e300);
  case 2: return static_cast<double>(integer(choices)) / 8;
  case 3: {
    constexpr double kOdd[] = {0.0,
                               -0.0,
                               HUGE_VAL,
                               -HUGE_VAL,
                               std::numeric_limits<double>::quiet_NaN(),
                               5e-324,
                               std::numeric_limits<double>::max()};
    return kOdd[choices.below(std::size(kOdd))];
  }
  default: return std::bit_cast<double>(bits(choices));
  }
}

Value value(ChoiceSequence& choices) {
  switch (choices.below(8)) {
  case 0: return {};
  case 1: return Value(choices.chance(1, 2));
  case 2: return Value(Str{choices.below(3)});
  case 3: return Value(FunName{choices.below(3)});
  case 4: return Value(Address{choices.below(3)});
  case 5: return Value(floating(choices));
  default: return Value(integer(choices));
  }
}

constexpr BinaryOp kOps[] = {BinaryOp::Eq,  BinaryOp::Ne,  BinaryOp::Lt,  BinaryOp::Le,
                             BinaryOp::Gt,  BinaryOp::Ge,  BinaryOp::Add, BinaryOp::Sub,
                             BinaryOp::Mul, BinaryOp::Div, BinaryOp::Mod, BinaryOp::And,
                             BinaryOp::Or};
constexpr BinaryOp kOrders[] = {BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge};

bool number(Value v) { return v.is(Tag::Int) || v.is(Tag::Float); }

// The low 64 bits, as two's complement.
Value wrapped(Wide n) {
  return Value(static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<UnsignedWide>(n))));
}

void int_arithmetic_wraps(ChoiceSequence& choices) {
  const std::int64_t a = integer(choices), b = integer(choices);
  const Wide wa = a, wb = b;
  const Value va(a), vb(b);
  RC_ASSERT(apply_binary(BinaryOp::Add, va, vb).value == wrapped(wa + wb));
  RC_ASSERT(apply_binary(BinaryOp::Sub, va, vb).value == wrapped(wa - wb));
  RC_ASSERT(
      apply_binary(BinaryOp::Mul, va, vb).value ==
      wrapped(static_cast<Wide>(static_cast<UnsignedWide>(wa) * static_cast<UnsignedWide>(wb))));
  RC_ASSERT(apply_unary(UnaryOp::Neg, va).value == wrapped(-wa));
  if (b == 0) {
    RC_ASSERT(apply_binary(BinaryOp::Div, va, vb).why == StuckReason::DivisionByZero);
    RC_ASSERT(apply_binary(BinaryOp::Mod, va, vb).why == StuckReason::DivisionByZero);
    return;
  }
  RC_ASSERT(apply_binary(BinaryOp::Div, va, vb).value == wrapped(wa / wb));
  RC_ASSERT(apply_binary(BinaryOp::Mod, va, vb).value == wrapped(wa % wb));
}

long double exact(Value v) {
  return v.is(Tag::Int) ? static_cast<long double>(v.as_int())
                        : static_cast<long double>(v.as_float());
}

void order_is_exact(ChoiceSequence& choices) {
  const Value a = choices.chance(1, 2) ? Value(integer(choices)) : Value(floating(choices));
  const Value b = choices.chance(1, 2) ? Value(integer(choices)) : Value(floating(choices));
  const long double x = exact(a), y = exact(b);
  const bool expected[] = {x<y, x <= y, x> y, x >= y};
  for (std::size_t i = 0; i < std::size(kOrders); ++i)
    RC_ASSERT(apply_binary(kOrders[i], a, b).value == Value(expected[i]));
}

void equality_is_of_one_kind(ChoiceSequence& choices) {
  const Value a = value(choices);
  const Value b = choices.chance(1, 3) ? a : value(choices);
  const bool same = equal(a, b);
  RC_ASSERT(same == equal(b, a));
  RC_ASSERT(apply_binary(BinaryOp::Eq, a, b).value == Value(same));
  RC_ASSERT(apply_binary(BinaryOp::Ne, a, b).value == Value(!same));
  if (a.tag() != b.tag())
    RC_ASSERT(!same);
  else if (a.is(Tag::Float))
    RC_ASSERT(same == (a.as_float() == b.as_float()));
  else
    RC_ASSERT(same == (a == b));
}

// Which kinds an operator takes, and what it gives.
void operators_know_their_kinds(ChoiceSequence& choices) {
  const BinaryOp op = kOps[choices.below(std::size(kOps))];
  const Value a = value(choices), b = value(choices);
  const EvalResult r = apply_binary(op, a, b);
  const bool logic = op == BinaryOp::And || op == BinaryOp::Or;
  const bool equality = op == BinaryOp::Eq || op == BinaryOp::Ne;
  const bool fit =
      equality || (logic ? a.is(Tag::Bool) && b.is(Tag::Bool) : number(a) && number(b));
  if (!fit) {
    RC_ASSERT(r.why == StuckReason::WrongType);
    return;
  }
  const bool division = op == BinaryOp::Div || op == BinaryOp::Mod;
  if (division && a.is(Tag::Int) && b == Value(std::int64_t{0})) {
    RC_ASSERT(r.why == StuckReason::DivisionByZero);
    return;
  }
  RC_ASSERT(bool(r));
  if (op < BinaryOp::Add || logic)
    RC_ASSERT(r.value.is(Tag::Bool));
  else
    RC_ASSERT(r.value.is(a.is(Tag::Int) && b.is(Tag::Int) ? Tag::Int : Tag::Float));
}

void same_bits(Value v, double expected) {
  RC_ASSERT(v.is(Tag::Float));
  if (!std::isnan(expected) || !std::isnan(v.as_float())) RC_ASSERT(v == Value(expected));
}

void float_arithmetic_is_ieee(ChoiceSequence& choices) {
  const Value a = choices.chance(1, 2) ? Value(integer(choices)) : Value(floating(choices));
  const Value b = Value(floating(choices));
  const double x = a.is(Tag::Int) ? static_cast<double>(a.as_int()) : a.as_float();
  const double y = b.as_float();
  same_bits(apply_binary(BinaryOp::Add, a, b).value, x + y);
  same_bits(apply_binary(BinaryOp::Sub, b, a).value, y - x);
  same_bits(apply_binary(BinaryOp::Mul, a, b).value, x * y);
  same_bits(apply_binary(BinaryOp::Div, a, b).value, x / y);
  same_bits(apply_binary(BinaryOp::Div, b, a).value, y / x);
  same_bits(apply_binary(BinaryOp::Mod, a, b).value, std::fmod(x, y));
  same_bits(apply_unary(UnaryOp::Neg, b).value, -y);
}

void unary_operators(ChoiceSequence& choices) {
  const Value v = value(choices);
  const EvalResult negated = apply_unary(UnaryOp::Neg, v), inverted = apply_unary(UnaryOp::Not, v);
  RC_ASSERT(bool(negated) == number(v));
  RC_ASSERT(bool(inverted) == v.is(Tag::Bool));
  if (inverted) RC_ASSERT(inverted.value == Value(!v.as_bool()));
  for (const bool other : {false, true})
    if (v.is(Tag::Bool)) {
      RC_ASSERT(apply_binary(BinaryOp::And, v, Value(other)).value == Value(v.as_bool() && other));
      RC_ASSERT(apply_binary(BinaryOp::Or, v, Value(other)).value == Value(v.as_bool() || other));
    }
}

void literals_are_values(ChoiceSequence& choices) {
  const Value v = value(choices);
  const auto literal = to_literal(v);
  const bool has_none = v.is(Tag::Array) || (v.is(Tag::Float) && !std::isfinite(v.as_float()));
  RC_ASSERT(literal.has_value() == !has_none);
  if (literal) {
    RC_ASSERT(to_value(*literal) == v);
    RC_ASSERT(static_cast<std::size_t>(kind_of(v)) == literal->index());
  }
}

TEST(ValueLaws, IntArithmeticWraps) { check_choices(int_arithmetic_wraps, 500); }
TEST(ValueLaws, OrderIsExact) { check_choices(order_is_exact, 500); }
TEST(ValueLaws, EqualityIsOfOneKind) { check_choices(equality_is_of_one_kind, 500); }
TEST(ValueLaws, OperatorsKnowTheirKinds) { check_choices(operators_know_their_kinds, 500); }
TEST(ValueLaws, FloatArithmeticIsIeee) { check_choices(float_arithmetic_is_ieee, 500); }
TEST(ValueLaws, UnaryOperators) { check_choices(unary_operators, 200); }
TEST(ValueLaws, LiteralsAreValues) { check_choices(literals_are_values, 200); }

} // namespace

} // namespace sourir::testing
