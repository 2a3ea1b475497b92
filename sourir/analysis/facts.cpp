#include "sourir/analysis/facts.h"

#include "sourir/semantics/primop.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/expr.h"
#include "sourir/syntax/match.h"

#include <algorithm>
#include <limits>
#include <span>
#include <utility>

namespace sourir {

Kind kind_of(const Literal& literal) { return kind_of(to_value(literal)); }

Fact fact_of(TypeSet types) { return {.types = types}; }

Fact fact_of(const Literal& literal) { return {.types = kind_of(literal), .equals = literal}; }

namespace {

// Whether `x == literal` is false for all x with the fact.
bool excludes(const Fact& fact, const Literal& literal) {
  if (!fact.types.has(kind_of(literal))) return true;
  if (fact.equals) return !equal(to_value(*fact.equals), to_value(literal));
  return contains(fact.differs, literal);
}

// An arbitrary total order.
bool before(const Literal& a, const Literal& b) {
  const auto key = [](const Literal& l) {
    return match(
        l, [](Nil) { return std::uint64_t{0}; }, [](bool x) { return std::uint64_t{x}; },
        [](std::int64_t n) { return static_cast<std::uint64_t>(n); },
        [](Float f) { return std::bit_cast<std::uint64_t>(f.value); },
        [](auto name) { return std::uint64_t{name.id}; });
  };
  return std::pair(a.index(), key(a)) < std::pair(b.index(), key(b));
}

} // namespace

TypeSet ElementTypes::all() const {
  TypeSet all;
  for (std::size_t i = 0; i < count; ++i) all |= types[i];
  return all;
}

namespace {

ElementTypes either(ElementTypes a, const ElementTypes& b) {
  if (a.count != b.count) return {};
  for (std::size_t i = 0; i < a.count; ++i) a.types[i] |= b.types[i];
  return a;
}

} // namespace

void Fact::join(const Fact& other) {
  std::vector<Literal> both;
  for (const Literal& l : differs)
    if (excludes(other, l)) both.push_back(l);
  for (const Literal& l : other.differs)
    if (!contains(both, l) && excludes(*this, l)) both.push_back(l);
  std::sort(both.begin(), both.end(), before);
  differs = std::move(both);
  if (!types.has(Kind::Array)) {
    elements = other.elements;
    each = other.each;
  } else if (other.types.has(Kind::Array)) {
    elements |= other.elements;
    each = either(each, other.each);
  }
  types = types | other.types;
  std::erase_if(differs, [&](const Literal& l) { return !types.has(kind_of(l)); });
  if (equals != other.equals) equals.reset();
  if (length != other.length) length.reset();
}

const Fact& Facts::about(Var x) const {
  static const Fact nothing;
  const Fact* const fact = known.find(x);
  return fact != nullptr ? *fact : nothing;
}

Fact Facts::about(const SimpleExpr& e) const {
  if (const Var* const x = std::get_if<Var>(&e)) return about(*x);
  return match(
      e, [](Var) { return Fact{}; }, [](const auto& literal) { return fact_of(Literal(literal)); });
}

void Facts::forget(Var x) {
  known.erase(x);
  if (last_stored && last_stored->array == x) last_stored.reset();
}

void Facts::set(Var x, Fact fact) {
  if (last_stored && last_stored->array == x) last_stored.reset();
  // Equal facts have one form, so that join and == agree.
  std::erase_if(fact.differs,
                [&](const Literal& l) { return fact.equals || !fact.types.has(kind_of(l)); });
  if (!fact.types.has(Kind::Array)) fact.elements = kAnyType, fact.each = {};
  about_elements |= fact.elements != kAnyType;
  if (fact.each.known() && !contains(short_arrays, x)) {
    std::erase_if(short_arrays, [&](Var y) { return !is_short_array(y); });
    if (short_arrays.size() == kMostShortArrays) {
      set_each(short_arrays.front(), {});
      short_arrays.erase(short_arrays.begin());
    }
    short_arrays.push_back(x);
  }
  if (fact.knows_nothing())
    known.erase(x);
  else
    known.set(x, std::move(fact));
}

// The array has an element, or the store fails. So it is not the array of a variable whose elements
// have other types, or another number.
void Facts::stored(Var x, std::optional<std::int64_t> index, TypeSet types) {
  if (about_elements) {
    const TypeSet before = about(x).elements;
    known.update([&](Fact& fact) {
      if (fact.elements.intersects(before)) fact.elements |= types;
      return !fact.knows_nothing();
    });
  }
  const ElementTypes stored_into = about(x).each;
  for (const Var y : short_arrays) {
    ElementTypes each = about(y).each;
    if (stored_into.known() && each.count != stored_into.count) continue;
    for (std::size_t i = 0; i < each.count; ++i)
      if (!index || *index == static_cast<std::int64_t>(i))
        each.types[i] = y == x && index ? types : each.types[i] | types;
    if (each.known()) set_each(y, each);
  }
  last_stored = {x, types};
}

void Facts::set_each(Var x, const ElementTypes& each) {
  Fact fact = about(x);
  fact.each = each;
  if (fact.knows_nothing())
    known.erase(x);
  else
    known.set(x, std::move(fact));
}

void Facts::forget_elements() {
  last_stored.reset();
  for (const Var x : std::exchange(short_arrays, {}))
    if (is_short_array(x)) set_each(x, {});
  if (!std::exchange(about_elements, false)) return;
  known.update([](Fact& fact) {
    fact.elements = kAnyType;
    return !fact.knows_nothing();
  });
}

bool Facts::join(const Facts& other) {
  if (!other.passed) return false;
  if (!passed) return *this = other, true;
  about_elements |= other.about_elements;
  const bool loses_stored = last_stored && last_stored != other.last_stored;
  if (loses_stored) last_stored.reset();
  bool changed = known.meet(other.known, [](Fact& mine, const Fact& theirs) {
    mine.join(theirs);
    return !mine.knows_nothing();
  });
  for (const Var x : other.short_arrays)
    if (!contains(short_arrays, x)) short_arrays.push_back(x);
  std::erase_if(short_arrays, [&](Var x) { return !is_short_array(x); });
  for (; short_arrays.size() > kMostShortArrays; changed = true) {
    set_each(short_arrays.back(), {});
    short_arrays.pop_back();
  }
  return changed || loses_stored;
}

// --- identities ------------------------------------------------------------------------------

namespace {

bool is_int(const Fact& fact) { return fact.types == TypeSet(Kind::Int); }
bool is_bool(const Fact& fact) { return fact.types == TypeSet(Kind::Bool); }

} // namespace

std::optional<SimpleExpr> identity(const Binary& e, const Facts& facts) {
  const Fact a = facts.about(e.left), b = facts.about(e.right);
  const Literal zero = std::int64_t{0}, one = std::int64_t{1};
  const bool same = e.left == e.right;
  switch (e.op) {
  case BinaryOp::Add:
    if (is_int(a) && b.equals == zero) return e.left;
    if (is_int(b) && a.equals == zero) return e.right;
    return std::nullopt;
  case BinaryOp::Sub:
    if (is_int(a) && b.equals == zero) return e.left;
    if (is_int(a) && same) return SimpleExpr(std::int64_t{0});
    return std::nullopt;
  case BinaryOp::Mul:
    if (is_int(a) && is_int(b) && (a.equals == zero || b.equals == zero))
      return SimpleExpr(std::int64_t{0});
    if (is_int(a) && b.equals == one) return e.left;
    if (is_int(b) && a.equals == one) return e.right;
    return std::nullopt;
  case BinaryOp::Div: return is_int(a) && b.equals == one ? std::optional(e.left) : std::nullopt;
  case BinaryOp::And:
  case BinaryOp::Or: {
    const Literal neutral = e.op == BinaryOp::And;
    if (is_bool(a) && (b.equals == neutral || same)) return e.left;
    if (is_bool(b) && a.equals == neutral) return e.right;
    return std::nullopt;
  }
  case BinaryOp::Eq: // x == false is kept: it is as short as !x
  case BinaryOp::Ne: {
    const Literal neutral = e.op == BinaryOp::Eq;
    if (is_bool(a) && b.equals == neutral) return e.left;
    if (is_bool(b) && a.equals == neutral) return e.right;
    return std::nullopt;
  }
  default: return std::nullopt;
  }
}

// --- evaluation ------------------------------------------------------------------------------

namespace {

Fact of_value(Value v) {
  const auto literal = to_literal(v);
  return literal ? fact_of(*literal) : fact_of(TypeSet(kind_of(v)));
}

std::optional<bool> known_equality(const Fact& a, const Fact& b) {
  if ((a.types & b.types).empty()) return false;
  if (a.equals && b.equals) return equal(to_value(*a.equals), to_value(*b.equals));
  if (a.equals && excludes(b, *a.equals)) return false;
  if (b.equals && excludes(a, *b.equals)) return false;
  return std::nullopt;
}

// The fact of a number; any number if no evaluation succeeds.
Fact number_of(TypeSet types) { return fact_of(types.empty() ? kNumbers : types); }

bool same_variable(const SimpleExpr& a, const SimpleExpr& b) {
  return std::holds_alternative<Var>(a) && a == b;
}

// The outcome of a comparison of any integer with a number, where it is the same for the least and
// the greatest one, as in x > 1e+300.
std::optional<bool> known_order(const Binary& e, const Fact& a, const Fact& b) {
  constexpr std::int64_t kEnds[] = {std::numeric_limits<std::int64_t>::min(),
                                    std::numeric_limits<std::int64_t>::max()};
  std::optional<bool> outcome;
  for (const std::int64_t end : kEnds) {
    const auto operand = [&](const Fact& f) {
      return f.equals                        ? std::optional(to_value(*f.equals))
             : f.types == TypeSet(Kind::Int) ? std::optional(Value(end))
                                             : std::nullopt;
    };
    const auto left = operand(a), right = operand(b);
    if (!left || !right || (!a.equals && !b.equals)) return std::nullopt;
    const EvalResult order = apply_binary(e.op, *left, *right);
    if (!order || (outcome && *outcome != order.value.is_true())) return std::nullopt;
    outcome = order.value.is_true();
  }
  return outcome;
}

Fact evaluate_binary(const Binary& e, const Facts& facts) {
  const Fact a = facts.about(e.left), b = facts.about(e.right);
  if (a.equals && b.equals) {
    const EvalResult folded = apply_binary(e.op, to_value(*a.equals), to_value(*b.equals));
    if (folded) return of_value(folded.value);
  }
  if (const auto operand = identity(e, facts)) return facts.about(*operand);
  switch (e.op) {
  case BinaryOp::Eq:
  case BinaryOp::Ne: {
    auto same = known_equality(a, b);
    if (!same && same_variable(e.left, e.right) && !a.types.has(Kind::Float)) same = true;
    return same ? fact_of(Literal(*same == (e.op == BinaryOp::Eq))) : fact_of(Kind::Bool);
  }
  case BinaryOp::And:
  case BinaryOp::Or: {
    const Literal decisive = e.op == BinaryOp::Or;
    if (a.equals == decisive || b.equals == decisive) return fact_of(decisive);
    return fact_of(Kind::Bool);
  }
  case BinaryOp::Lt:
  case BinaryOp::Gt: {
    if (same_variable(e.left, e.right)) return fact_of(Literal(false));
    const auto order = known_order(e, a, b);
    return order ? fact_of(Literal(*order)) : fact_of(Kind::Bool);
  }
  case BinaryOp::Le:
  case BinaryOp::Ge: {
    if (const auto order = known_order(e, a, b)) return fact_of(Literal(*order));
    const bool always = same_variable(e.left, e.right) && !a.types.has(Kind::Float); // no NaN
    return always ? fact_of(Literal(true)) : fact_of(Kind::Bool);
  }
  default: return number_of(result_types(e.op, a.types, b.types));
  }
}

Fact evaluate_test(const KindTest& e, const Facts& facts) {
  const TypeSet types = facts.about(e.operand).types;
  if (!types.has(e.kind)) return fact_of(Literal(false));
  return types == TypeSet(e.kind) ? fact_of(Literal(true)) : fact_of(Kind::Bool);
}

Fact evaluate_test(const ElementsTest& e, const Facts& facts) {
  const Fact array = facts.about(e.operand);
  const auto& stored = facts.last_stored;
  const bool other = stored && e.operand == SimpleExpr(stored->array) && !stored->types.has(e.kind);
  if (other || !array.types.has(Kind::Array)) return fact_of(Literal(false));
  const auto each = std::span(array.each.types).first(array.each.count);
  if (std::ranges::any_of(each, [&](TypeSet types) { return !types.has(e.kind); }))
    return fact_of(Literal(false));
  const bool each_is = array.each.known() && array.each.all().within(e.kind);
  if (each_is && array.types.within(Kind::Array)) return fact_of(Literal(true));
  const bool all = array.types.within(Kind::Array) && array.elements.within(e.kind);
  return all ? fact_of(Literal(true)) : fact_of(Kind::Bool);
}

std::optional<std::int64_t> known_index(const Index& e, const Facts& facts) {
  const Fact index = facts.about(e.index);
  const auto* const n = index.equals ? std::get_if<std::int64_t>(&*index.equals) : nullptr;
  return n != nullptr ? std::optional(*n) : std::nullopt;
}

Fact evaluate_load(const Index& e, const Facts& facts) {
  const Fact array = facts.about(e.array);
  TypeSet types = array.elements;
  if (array.each.known()) {
    const auto n = known_index(e, facts);
    if (n && (*n < 0 || *n >= array.each.count)) return {};
    types &= n ? array.each.types[static_cast<std::size_t>(*n)] : array.each.all();
  }
  if (types.empty()) return {}; // it always fails
  return types == TypeSet(Kind::Nil) ? fact_of(Literal(Nil{})) : fact_of(types);
}

Fact evaluate_unary(const Unary& e, const Facts& facts) {
  const Fact a = facts.about(e.operand);
  if (a.equals)
    if (const EvalResult folded = apply_unary(e.op, to_value(*a.equals)))
      return of_value(folded.value);
  if (e.op == UnaryOp::Not) return fact_of(Kind::Bool);
  return number_of(result_types(e.op, a.types));
}

} // namespace

Fact evaluate(const Expr& e, const Facts& facts) {
  return match(
      e, [&](const SimpleExpr& se) { return facts.about(se); },
      [&](const Unary& u) { return evaluate_unary(u, facts); },
      [&](const Binary& b) { return evaluate_binary(b, facts); },
      [&](const Index& i) { return evaluate_load(i, facts); },
      [&](const Length& l) {
        const Fact array = facts.about(l.array);
        return array.length ? fact_of(Literal(*array.length)) : fact_of(Kind::Int);
      },
      [&](const KindTest& t) { return evaluate_test(t, facts); },
      [&](const ElementsTest& t) { return evaluate_test(t, facts); });
}

// --- totality --------------------------------------------------------------------------------

namespace {

bool divides(const Fact& left, const Fact& right) {
  const bool floats = left.types == TypeSet(Kind::Float) || right.types == TypeSet(Kind::Float);
  return floats || excludes(right, Literal(std::int64_t{0}));
}

bool total_binary(const Binary& e, const Facts& facts) {
  const Fact a = facts.about(e.left), b = facts.about(e.right);
  switch (e.op) {
  case BinaryOp::Eq:
  case BinaryOp::Ne: return true;
  case BinaryOp::And:
  case BinaryOp::Or: return a.types.within(Kind::Bool) && b.types.within(Kind::Bool);
  default: break;
  }
  if (!a.types.within(kNumbers) || !b.types.within(kNumbers)) return false;
  return (e.op != BinaryOp::Div && e.op != BinaryOp::Mod) || divides(a, b);
}

bool total_index(const Index& e, const Facts& facts) {
  const auto length = facts.about(e.array).length;
  const auto n = known_index(e, facts);
  return length && n && *n >= 0 && *n < *length;
}

} // namespace

bool is_total(const Expr& e, const Facts& facts) {
  return match(
      e, [](const SimpleExpr&) { return true; },
      [&](const Unary& u) { return facts.about(u.operand).types.within(operand_types(u.op)); },
      [&](const Binary& b) { return total_binary(b, facts); },
      [&](const Index& i) { return total_index(i, facts); },
      [&](const Length& l) { return facts.about(l.array).types.within(Kind::Array); },
      [](const KindTest&) { return true; }, [](const ElementsTest&) { return true; });
}

// --- learning --------------------------------------------------------------------------------

namespace {

bool narrow(const SimpleExpr& e, TypeSet to, Facts& facts) {
  const Var* const x = std::get_if<Var>(&e);
  if (x == nullptr) return !(facts.about(e).types & to).empty();
  Fact fact = facts.about(*x);
  fact.types = fact.types & to;
  if (fact.types.empty()) return false;
  if (fact.types == TypeSet(Kind::Nil)) fact.equals = Literal(Nil{});
  facts.set(*x, std::move(fact));
  return true;
}

bool is_zero(const Literal& literal) {
  const Float* const f = std::get_if<Float>(&literal);
  return f != nullptr && f->value == 0;
}

bool learn_equal(const SimpleExpr& a, const SimpleExpr& b, Facts& facts) {
  const Fact other = facts.about(b);
  const Var* const x = std::get_if<Var>(&a);
  if (x == nullptr) return true;
  if (!narrow(a, other.types, facts)) return false;
  Fact fact = facts.about(*x);
  if (other.equals && excludes(fact, *other.equals)) return false;
  if (other.equals && !is_zero(*other.equals)) fact = fact_of(*other.equals);
  if (other.length) fact.length = other.length;
  fact.elements &= other.elements;
  facts.set(*x, std::move(fact));
  return true;
}

bool learn_different(const SimpleExpr& a, const SimpleExpr& b, Facts& facts) {
  const Var* const x = std::get_if<Var>(&a);
  const Fact other = facts.about(b);
  if (x == nullptr || !other.equals) return true;
  Fact fact = facts.about(*x);
  const Literal& literal = *other.equals;
  if (std::holds_alternative<Nil>(literal)) {
    fact.types = fact.types - Kind::Nil;
  } else if (fact.types == TypeSet(Kind::Bool) && std::holds_alternative<bool>(literal)) {
    const Literal rest = !std::get<bool>(literal);
    if (fact.equals && *fact.equals != rest) return false;
    fact = fact_of(rest);
  } else if (fact.types.has(kind_of(literal)) && fact.differs.size() < kMostDiffers &&
             !contains(fact.differs, literal)) {
    fact.differs.push_back(literal);
    std::sort(fact.differs.begin(), fact.differs.end(), before);
  }
  if (fact.types.empty() || (fact.equals && excludes(fact_of(literal), *fact.equals) == false))
    return false;
  facts.set(*x, std::move(fact));
  return true;
}

// An integer was divided by an integer, which is not 0.
bool learn_divided(const Binary& e, Facts& facts) {
  const Fact by = facts.about(e.right);
  if (!facts.about(e.left).types.within(Kind::Int) || !by.types.within(Kind::Int)) return true;
  const Literal zero = std::int64_t{0};
  return by.equals != zero && learn_different(e.right, SimpleExpr(std::int64_t{0}), facts);
}

bool learn_elements(const ElementsTest& e, Facts& facts) {
  if (!narrow(e.operand, Kind::Array, facts)) return false;
  if (const Var* const x = std::get_if<Var>(&e.operand)) {
    Fact fact = facts.about(*x);
    fact.elements &= e.kind;
    for (std::size_t i = 0; i < fact.each.count; ++i) {
      fact.each.types[i] &= e.kind;
      if (fact.each.types[i].empty()) return false;
    }
    facts.set(*x, std::move(fact));
  }
  return true;
}

bool learn_simple(const SimpleExpr& e, bool holds, Facts& facts) {
  const Var* const x = std::get_if<Var>(&e);
  const Fact before = facts.about(e);
  if (excludes(before, Literal(holds))) return false;
  if (x != nullptr) facts.set(*x, fact_of(Literal(holds)));
  return true;
}

bool learn_binary(const Binary& e, bool holds, Facts& facts) {
  if (const auto operand = identity(e, facts)) return learn_simple(*operand, holds, facts);
  switch (e.op) {
  case BinaryOp::Eq:
  case BinaryOp::Ne:
    if (holds == (e.op == BinaryOp::Eq))
      return learn_equal(e.left, e.right, facts) && learn_equal(e.right, e.left, facts);
    return learn_different(e.left, e.right, facts) && learn_different(e.right, e.left, facts);
  case BinaryOp::And:
  case BinaryOp::Or:
    if (holds != (e.op == BinaryOp::And)) return true;
    return learn(e.left, holds, facts) && learn(e.right, holds, facts);
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge: return true;
  default: return !holds; // a number
  }
}

} // namespace

namespace {

bool never_has_element(const Index& e, const Facts& facts) {
  const Fact array = facts.about(e.array);
  const auto n = known_index(e, facts);
  return array.elements.empty() || (n && (*n < 0 || (array.length && *n >= *array.length)));
}

} // namespace

bool learn_evaluated(const Expr& e, Facts& facts) {
  return match(
      e, [](const SimpleExpr&) { return true; },
      [&](const Unary& u) { return narrow(u.operand, operand_types(u.op), facts); },
      [&](const Binary& b) {
        if (b.op == BinaryOp::Eq || b.op == BinaryOp::Ne) return true;
        const TypeSet types = operand_types(b.op);
        return narrow(b.left, types, facts) && narrow(b.right, types, facts) &&
               ((b.op != BinaryOp::Div && b.op != BinaryOp::Mod) || learn_divided(b, facts));
      },
      [&](const Index& i) {
        return !never_has_element(i, facts) && narrow(SimpleExpr(i.array), Kind::Array, facts) &&
               narrow(i.index, Kind::Int, facts);
      },
      [&](const Length& l) { return narrow(l.array, Kind::Array, facts); },
      [](const KindTest&) { return true; }, [](const ElementsTest&) { return true; });
}

bool learn(const Expr& condition, bool holds, Facts& facts) {
  if (!learn_evaluated(condition, facts)) return false;
  return match(
      condition, [&](const SimpleExpr& e) { return learn_simple(e, holds, facts); },
      [&](const Unary& u) {
        return u.op == UnaryOp::Not ? learn_simple(u.operand, !holds, facts) : !holds;
      },
      [&](const Binary& b) { return learn_binary(b, holds, facts); },
      [&](const Index& i) { return !holds || evaluate_load(i, facts).types.has(Kind::Bool); },
      [&](const Length&) { return !holds; },
      [&](const KindTest& t) {
        return narrow(t.operand, holds ? TypeSet(t.kind) : TypeSet::all() - TypeSet(t.kind), facts);
      },
      [&](const ElementsTest& t) { return !holds || learn_elements(t, facts); });
}

} // namespace sourir
