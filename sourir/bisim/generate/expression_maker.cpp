#include "sourir/bisim/generate/expression_maker.h"

#include <algorithm>
#include <array>
#include <limits>

namespace sourir::random {
namespace {

constexpr std::int64_t kEdges[] = {
    std::numeric_limits<std::int64_t>::max(),
    std::numeric_limits<std::int64_t>::min(),
    std::numeric_limits<std::int64_t>::min() + 1,
    std::int64_t{1} << 53,
    (std::int64_t{1} << 53) + 1,
    std::int64_t{1} << 31,
    -(std::int64_t{1} << 32),
    std::int64_t{1} << 62,
    256,
    -7,
};

constexpr double kFloats[] = {0.0,
                              1.0,
                              -0.0,
                              0.5,
                              -1.5,
                              0.1,
                              1e308,
                              -1e308,
                              5e-324,
                              1e16,
                              9.007199254740993e15,
                              2.5e-8,
                              9.2233720368547758e18};

// Operators, by the types of their operands.
constexpr BinaryOp kArithmetic[] = {BinaryOp::Add, BinaryOp::Sub, BinaryOp::Mul};
constexpr BinaryOp kDivision[] = {BinaryOp::Div, BinaryOp::Mod};
constexpr BinaryOp kOrder[] = {BinaryOp::Lt, BinaryOp::Le, BinaryOp::Gt, BinaryOp::Ge};
constexpr BinaryOp kEquality[] = {BinaryOp::Eq, BinaryOp::Ne};
constexpr BinaryOp kLogic[] = {BinaryOp::And, BinaryOp::Or};

template <class T, std::size_t N>
T choose(ChoiceSequence& choices, const T (&from)[N]) {
  return from[choices.below(static_cast<std::uint32_t>(N))];
}

} // namespace

ExpressionMaker::ExpressionMaker(Generation& generation, Tree& tree, TreeBuilder& nodes)
    : generation_(generation), tree_(tree), nodes_(nodes) {
  literal_types_ = {Kind::Nil, Kind::Bool, Kind::Int};
  if (has(Feature::Strings)) literal_types_ |= Kind::String;
  if (has(Feature::Floats)) literal_types_ |= Kind::Float;
  if (has(Feature::FunValues)) literal_types_ |= Kind::Fun;
}

Kind ExpressionMaker::pick_kind(TypeSet set) {
  if (const TypeSet usual = set & literal_types_; !usual.empty()) set = usual;
  if (set.has(Kind::Int) && choices().chance(1, 3)) return Kind::Int;
  std::array<Kind, 7> list{};
  std::uint32_t n = 0;
  for (unsigned k = 0; k < list.size(); ++k)
    if (set.has(static_cast<Kind>(k))) list[n++] = static_cast<Kind>(k);
  return list[choices().below(n)];
}

std::int64_t ExpressionMaker::integer() {
  if (has(Feature::EdgeIntegers) && choices().chance(1, 8)) return choose(choices(), kEdges);
  const auto n = static_cast<std::int64_t>(choices().below(15));
  return n == 14 ? -1 : n > 9 ? n - 10 : n; // most often the smallest
}

double ExpressionMaker::floating() { return choose(choices(), kFloats); }

FunName ExpressionMaker::function_value(std::uint8_t family) {
  const Library& library = generation_.library;
  if (family != kNoFamily) {
    const auto& members = library.families[family].members;
    return library.callees[members[choices().below(static_cast<std::uint32_t>(members.size()))]]
        .name;
  }
  const std::uint32_t at = choices().below(library.finished + 1);
  return at == 0 ? generation_.names.main() : library.callees[at - 1].name;
}

Literal ExpressionMaker::literal(Kind k, const Type& want) {
  switch (k) {
  case Kind::Nil:
  case Kind::Array: // never asked for
    break;
  case Kind::Bool: return choices().below(2) != 0;
  case Kind::Int:
    return want.fuel ? static_cast<std::int64_t>(choices().below(kMostFuel + 1)) : integer();
  case Kind::Float: return Float{floating()};
  case Kind::String: return generation_.names.string(choices().below(NamePool::kStrings));
  case Kind::Fun: return function_value(want.only(Kind::Fun) ? want.family : kNoFamily);
  }
  return Nil{};
}

SimpleExpr ExpressionMaker::simple(const Type& want) {
  if (!want.fuel && choices().chance(3, 4))
    if (const auto k = nodes_.pick(want)) return as_var(*k);
  if (want.kinds == kArray) return array(want);
  return to_simple(literal(pick_kind(want.kinds - kArray), want));
}

Expr ExpressionMaker::expr(const Type& want) {
  if (want.fuel || !choices().chance(2, 3)) return simple(want);
  if (choices().chance(1, 6))
    if (auto e = element(want)) return *e;
  switch (pick_kind(want.kinds)) {
  case Kind::Bool: return bool_operation();
  case Kind::Int: return int_operation();
  case Kind::Float: return float_operation();
  default: return simple(want);
  }
}

Expr ExpressionMaker::int_operation() {
  const Type integers = type_of(Kind::Int);
  const std::uint32_t form = choices().below(10);
  if (form < 6) {
    const BinaryOp op = choose(choices(), kArithmetic);
    const SimpleExpr left = simple(integers);
    return Binary{op, left, simple(integers)};
  }
  if (form == 6) return Unary{UnaryOp::Neg, simple(integers)};
  if (form == 7) {
    if (goes_wrong()) return Length{simple(anything(kRank))};
    if (const auto k = nodes_.pick(Type{.kinds = kArray, .rank = kRank})) return Length{as_var(*k)};
  }
  const BinaryOp op = choose(choices(), kDivision);
  const SimpleExpr left = simple(integers);
  if (goes_wrong()) return Binary{op, left, simple(integers)};
  const std::int64_t divisor = integer();
  return Binary{op, left, divisor == 0 ? std::int64_t{1} : divisor};
}

Expr ExpressionMaker::float_operation() {
  const Type floats = type_of(Kind::Float);
  const std::uint32_t form = choices().below(8);
  if (form == 7) return Unary{UnaryOp::Neg, simple(floats)};
  const BinaryOp op = form < 5 ? choose(choices(), kArithmetic) : choose(choices(), kDivision);
  const SimpleExpr one = simple(floats), other = simple(type_of(kNumbers));
  return choices().chance(1, 2) ? Binary{op, other, one} : Binary{op, one, other};
}

Expr ExpressionMaker::comparison() {
  const bool order = choices().chance(1, 2);
  const Type operands = type_of(has(Feature::Floats) ? kNumbers : TypeSet(Kind::Int));
  if (order) {
    const BinaryOp op = choose(choices(), kOrder);
    const Type wrong = anything(kRank);
    const SimpleExpr left = simple(goes_wrong() ? wrong : operands);
    return Binary{op, left, simple(operands)};
  }
  const BinaryOp op = choose(choices(), kEquality);
  const Type either = anything(kRank);
  if (!choices().chance(1, 2)) {
    const SimpleExpr left = simple(operands);
    return Binary{op, left, simple(operands)};
  }
  const SimpleExpr left = simple(either);
  return Binary{op, left, simple(either)};
}

Expr ExpressionMaker::type_test() {
  const SimpleExpr operand = simple(anything(kRank));
  return KindTest{operand, static_cast<Kind>(choices().below(7))};
}

Expr ExpressionMaker::bool_operation() {
  const std::uint32_t form = choices().below(8);
  if (form < 5) return comparison();
  if (form == 5) return type_test();
  const Type booleans = goes_wrong() ? anything(kRank) : type_of(Kind::Bool);
  if (form == 6) return Unary{UnaryOp::Not, simple(booleans)};
  const BinaryOp op = choose(choices(), kLogic);
  const SimpleExpr left = simple(booleans);
  return Binary{op, left, simple(type_of(Kind::Bool))};
}

std::optional<SimpleExpr> ExpressionMaker::index_inside(VarIndex array) {
  if (goes_wrong()) return simple(type_of(Kind::Int));
  if (choices().chance(1, 2))
    if (const auto i = nodes_.pick_if([&](VarIndex k) { return tree_.vars[k].inside == array; }))
      return as_var(*i);
  if (const std::uint8_t length = tree_.vars[array].type.length; length > 0)
    return static_cast<std::int64_t>(choices().below(length));
  return std::nullopt;
}

std::optional<Expr> ExpressionMaker::element(const Type& want) {
  const auto array = nodes_.pick_if([&](VarIndex k) {
    const Type& type = tree_.vars[k].type;
    return type.kinds == kArray && fits(element_of(type), want);
  });
  if (!array) return std::nullopt;
  const auto index = index_inside(*array);
  if (!index) return std::nullopt;
  return Index{as_var(*array), *index};
}

SimpleExpr ExpressionMaker::array(const Type& want) {
  if (const auto k = nodes_.pick(want)) return as_var(*k);
  return as_var(make_array(want));
}

VarIndex ExpressionMaker::make_array(const Type& want) {
  Type type = want;
  if (type.holds == Holds::Unknown) {
    type.holds = Holds::Values;
    if (!has(Feature::Nested)) type.rank = 1;
  }
  const std::uint32_t more = choices().below(3);
  type.length = static_cast<std::uint8_t>(std::min<std::uint32_t>(want.length + more, kLongest));
  if (type.holds == Holds::Values && choices().chance(1, 4)) {
    const VarIndex k = nodes_.declare(type);
    nodes_.append(ArrayDecl{as_var(k), SimpleExpr(std::int64_t{type.length})});
    return k;
  }
  ArrayDef made;
  for (std::uint8_t i = 0; i < type.length; ++i)
    made.elements.emplace_back(simple(element_of(type)));
  const VarIndex k = nodes_.declare(type);
  made.name = as_var(k);
  nodes_.append(std::move(made));
  return k;
}

} // namespace sourir::random
