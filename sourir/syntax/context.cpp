#include "sourir/syntax/context.h"

#include "sourir/syntax/ast.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/match.h"

#include <algorithm>
#include <bit>
#include <tuple>

namespace sourir {
namespace {

constexpr unsigned kElementTests = 3;

constexpr unsigned element_bit(std::size_t i, Kind type) {
  return static_cast<unsigned>(i) * kElementTests + static_cast<unsigned>(type) -
         static_cast<unsigned>(Kind::Bool);
}

// Pairs in the order (0, 1), (0, 2), (1, 2), (0, 3), ...
constexpr unsigned pair_number(std::size_t i, std::size_t j) {
  const auto [low, high] = std::minmax(i, j);
  return static_cast<unsigned>(high * (high - 1) / 2 + low);
}

// The alternatives of Literal are in the order of the types.
Kind type_of(const Literal& literal) { return static_cast<Kind>(literal.index()); }

// (x == 0.0) and (x == -0.0) are one predicate.
Literal normal_zero(Literal literal) {
  auto* const number = std::get_if<Float>(&literal);
  if (number != nullptr && number->value == 0) number->value = 0;
  return literal;
}

std::optional<Literal> literal_in(const SimpleExpr& e) {
  return match(
      e, [](Var) { return std::optional<Literal>(); },
      [](auto literal) { return std::optional<Literal>(literal); });
}

// One of the first parameters, by number.
std::optional<std::size_t> number_of(std::span<const Var> parameters, const SimpleExpr& e) {
  const auto* const x = std::get_if<Var>(&e);
  if (x == nullptr) return std::nullopt;
  const auto first = parameters.first(std::min(parameters.size(), Context::kParameters));
  const auto found = std::ranges::find(first, *x);
  if (found == first.end()) return std::nullopt;
  return static_cast<std::size_t>(found - first.begin());
}

// Adds the predicate of a guard to a context. False: it is none that contexts know.
class GuardReader {
public:
  GuardReader(Context& context, std::span<const Var> parameters)
      : context_(context), parameters_(parameters) {}

  bool add(const Expr& guard) {
    return match(
        guard, [&](const SimpleExpr& e) { return add_truth(e, true); },
        [&](const Unary& e) { return e.op == UnaryOp::Not && add_negation(e.operand); },
        [&](const Binary& e) { return add_binary(e); }, [](const Index&) { return false; },
        [](const Length&) { return false; },
        [&](const KindTest& e) {
          const auto i = number(e.operand);
          if (i) context_.add_types(*i, e.kind);
          return i.has_value();
        },
        [&](const ElementsTest& e) {
          const auto i = number(e.operand);
          if (i) context_.add_elements(*i, e.kind);
          return i.has_value();
        });
  }

private:
  std::optional<std::size_t> number(const SimpleExpr& e) const { return number_of(parameters_, e); }

  // The value is this bool. A guard that is no bool does not hold.
  bool add_truth(const SimpleExpr& e, bool value) {
    if (const auto literal = literal_in(e)) {
      if (*literal != Literal(value)) context_ = Context::never();
      return true;
    }
    const auto i = number(e);
    if (i) context_.add_equal(*i, value);
    return i.has_value();
  }
  bool add_negation(const SimpleExpr& operand) { return add_truth(operand, false); }

  bool add_binary(const Binary& e) {
    switch (e.op) {
    case BinaryOp::Eq: return add_equality(e.left, e.right) || add_equality(e.right, e.left);
    case BinaryOp::Ne:
      return add_inequality(e.left, e.right) || add_not_nil(e.left, e.right) ||
             add_not_nil(e.right, e.left);
    case BinaryOp::And: return add_both(e.left, e.right);
    default: return false;
    }
  }

  bool add_equality(const SimpleExpr& x, const SimpleExpr& literal) {
    const auto i = number(x);
    const auto value = literal_in(literal);
    if (!i || !value) return false;
    context_.add_equal(*i, *value);
    return true;
  }

  bool add_inequality(const SimpleExpr& x, const SimpleExpr& y) {
    const auto i = number(x), j = number(y);
    if (!i || !j || i == j) return false; // (x != x) holds for NaN only
    context_.add_unequal(*i, *j);
    return true;
  }

  bool add_not_nil(const SimpleExpr& x, const SimpleExpr& nil) {
    const auto i = number(x);
    if (!i || !std::holds_alternative<Nil>(nil)) return false;
    context_.add_types(*i, kAnyType - Kind::Nil);
    return true;
  }

  bool add_both(const SimpleExpr& a, const SimpleExpr& b) {
    const bool known = (literal_in(a) || number(a)) && (literal_in(b) || number(b));
    return known && add_truth(a, true) && add_truth(b, true);
  }

  Context& context_;
  std::span<const Var> parameters_;
};

} // namespace

Context Context::never() {
  Context none;
  none.words_ = kNever;
  return none;
}

Context Context::of(std::span<const Var> parameters, std::span<const Expr> guards) {
  Context all;
  for (const Expr& guard : guards) all.add_guard(parameters, guard);
  return all;
}

TypeSet Context::types(std::size_t i) const {
  return TypeSet::from_bits(static_cast<unsigned>(~words_.excluded >> (8 * i))) & kAnyType;
}

TypeSet Context::elements(std::size_t i) const {
  TypeSet all;
  for (const Kind type : {Kind::Bool, Kind::Int, Kind::Float})
    if (knows(Elements + element_bit(i, type))) all |= type;
  return all;
}

const Literal* Context::constant(std::size_t i) const {
  return knows(Constant + static_cast<unsigned>(i)) ? &constants_[i] : nullptr;
}

bool Context::unequal(std::size_t i, std::size_t j) const {
  return knows(Unequal + pair_number(i, j));
}

// --- Conjunction

void Context::add_types(std::size_t i, TypeSet types) { exclude(i, kAnyType - types), close(); }

void Context::add_elements(std::size_t i, Kind type) {
  learn(Elements + element_bit(i, type)), close();
}

void Context::add_equal(std::size_t i, Literal literal) { set_constant(i, literal), close(); }

void Context::add_unequal(std::size_t i, std::size_t j) {
  learn(Unequal + pair_number(i, j)), close();
}

void Context::add_guard(std::span<const Var> parameters, const Expr& guard) {
  if (!GuardReader(*this, parameters).add(guard)) add_opaque(guard);
}

void Context::add_opaque(const Expr& guard) {
  if (is_never() || contains(opaque_, guard)) return;
  learn(Opaque);
  opaque_.push_back(guard);
}

Context operator&(Context a, const Context& b) {
  if (b.is_never()) return Context::never();
  for (std::size_t i = 0; i < Context::kParameters; ++i)
    if (const Literal* const literal = b.constant(i)) a.set_constant(i, *literal);
  a.words_ = {a.words_.excluded | b.words_.excluded, a.words_.known | b.words_.known};
  for (const Expr& guard : b.opaque_) a.add_opaque(guard);
  a.close();
  return a;
}

void Context::exclude(std::size_t i, TypeSet types) {
  words_.excluded |= std::uint64_t{types.bits()} << (8 * i);
}

void Context::set_constant(std::size_t i, Literal literal) {
  if (is_never()) return;
  literal = normal_zero(literal);
  exclude(i, kAnyType - type_of(literal));
  if (std::holds_alternative<Nil>(literal)) return;
  const Literal* const before = constant(i);
  if (before != nullptr && *before != literal) *this = never();
  if (is_never()) return;
  learn(Constant + static_cast<unsigned>(i));
  constants_[i] = literal;
}

// Adds what follows. Each rule concludes a fact from facts, so the order does not matter.
void Context::close() {
  for (ContextWords before = kNever; !is_never() && words_ != before;) {
    before = words_;
    for (std::size_t i = 0; i < kParameters; ++i) close_parameter(i);
    for (std::size_t j = 1; j < kParameters; ++j)
      for (std::size_t i = 0; i < j; ++i) close_pair(i, j);
  }
  if (is_never()) *this = never();
}

void Context::close_parameter(std::size_t i) {
  const TypeSet all = elements(i);
  if (!all.empty()) exclude(i, kAnyType - Kind::Array);
  if (all.several()) // no element has two types
    for (const Kind type : {Kind::Bool, Kind::Int, Kind::Float})
      learn(Elements + element_bit(i, type));
  if (types(i).empty()) words_ = kNever;
}

void Context::close_pair(std::size_t i, std::size_t j) {
  if (is_never()) return;
  if (follows_from_others(i, j)) learn(Unequal + pair_number(i, j));
  if (!unequal(i, j)) return;
  if (constant(i) != nullptr && constant(j) != nullptr && *constant(i) == *constant(j))
    words_ = kNever;
  follow_from_unequal(i, j);
  follow_from_unequal(j, i);
}

// What the inequality says about j where i has one value.
void Context::follow_from_unequal(std::size_t i, std::size_t j) {
  if (types(i) == Kind::Nil) exclude(j, Kind::Nil);
  const bool* const value = constant(i) != nullptr ? std::get_if<bool>(constant(i)) : nullptr;
  if (value != nullptr && types(j) == Kind::Bool) set_constant(j, !*value);
}

// Whether the other facts about the parameters make them unequal.
bool Context::follows_from_others(std::size_t i, std::size_t j) const {
  const Literal *const a = constant(i), *const b = constant(j);
  return !types(i).intersects(types(j)) || (a != nullptr && b != nullptr && *a != *b);
}

// --- Order

bool Context::entails_rest_of(const Context& b) const {
  if (is_never()) return true;
  for (std::size_t i = 0; i < kParameters; ++i)
    if (b.constant(i) != nullptr && constants_[i] != b.constants_[i]) return false;
  return std::ranges::all_of(b.opaque_,
                             [&](const Expr& guard) { return contains(opaque_, guard); });
}

bool operator==(const Context& a, const Context& b) {
  return a.words_ == b.words_ && a.constants_ == b.constants_ &&
         a.opaque_.size() == b.opaque_.size() && a.entails_rest_of(b);
}

// A context that entails another one, and is not equal to it, has more facts or more guards.
bool comes_before(const Context& a, const Context& b) {
  const auto key = [](const Context& c) {
    const ContextWords w = c.words_;
    return std::tuple(std::popcount(w.excluded) + std::popcount(w.known), c.opaque_.size(),
                      w.excluded, w.known);
  };
  return key(a) > key(b);
}

// --- Guards

std::optional<std::vector<Expr>> Context::guards(std::span<const Var> parameters) const {
  if (is_never()) return std::vector<Expr>{SimpleExpr(false)};
  std::vector<Expr> all;
  const std::size_t n = std::min(parameters.size(), kParameters);
  for (std::size_t i = 0; i < n; ++i) {
    const Var x = parameters[i];
    const TypeSet is = types(i), elements_are = elements(i);
    if (const Literal* const literal = constant(i))
      all.push_back(Binary{BinaryOp::Eq, x, to_simple(*literal)});
    else if (!elements_are.empty())
      for (const Kind type : {Kind::Bool, Kind::Int, Kind::Float}) {
        if (elements_are.has(type)) all.push_back(ElementsTest{x, type});
      }
    else if (const auto type = is.only())
      all.push_back(KindTest{x, *type});
    else if (is == kAnyType - Kind::Nil)
      all.push_back(Binary{BinaryOp::Ne, x, Nil{}});
    else if (is != kAnyType)
      return std::nullopt;
  }
  for (std::size_t j = 1; j < n; ++j)
    for (std::size_t i = 0; i < j; ++i)
      if (unequal(i, j) && !follows_from_others(i, j))
        all.push_back(Binary{BinaryOp::Ne, parameters[i], parameters[j]});
  all.insert(all.end(), opaque_.begin(), opaque_.end());
  return all;
}

Context context_of(const Function& function, const Version& version) {
  return Context::of(function.params, version.when);
}

bool may_exit_to(FunName target, const Version& to, const Function& function, const Version& from) {
  if (to.when.empty()) return true;
  return target == function.name && entails(context_of(function, from), context_of(function, to));
}

} // namespace sourir
