#include "sourir/analysis/guards.h"

#include "sourir/analysis/liveness.h"
#include "sourir/semantics/primop.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

namespace sourir {
namespace {

std::uint32_t number(std::uint32_t id, bool holds) { return 2 * id + (holds ? 1 : 0); }

// Whether to swap the operands: variables in the order of their ids, then literals.
bool turned(const SimpleExpr& left, const SimpleExpr& right) {
  const Var* const a = std::get_if<Var>(&left);
  const Var* const b = std::get_if<Var>(&right);
  return a == nullptr ? b != nullptr : b != nullptr && *b < *a;
}

Predicate normal_binary(Binary e, bool holds) {
  switch (e.op) {
  case BinaryOp::Ne: e.op = BinaryOp::Eq, holds = !holds; break;
  case BinaryOp::Gt: e.op = BinaryOp::Lt, std::swap(e.left, e.right); break;
  case BinaryOp::Ge: e.op = BinaryOp::Le, std::swap(e.left, e.right); break;
  default: break;
  }
  if (e.op == BinaryOp::Eq && turned(e.left, e.right)) std::swap(e.left, e.right);
  return {e, holds};
}

} // namespace

Predicate normal(const Expr& e, bool holds) {
  if (const auto* const unary = std::get_if<Unary>(&e); unary && unary->op == UnaryOp::Not)
    return {unary->operand, !holds};
  if (const auto* const binary = std::get_if<Binary>(&e)) return normal_binary(*binary, holds);
  return {e, holds};
}

bool AvailableGuards::State::join(const State& other) {
  const std::size_t before = known.size();
  std::erase_if(known, [&](std::uint32_t n) {
    return !std::binary_search(other.known.begin(), other.known.end(), n);
  });
  return known.size() != before;
}

AvailableGuards::AvailableGuards(const Version& version, const Cfg& cfg,
                                 const ProgramEffects* effects, std::optional<Position> without)
    : version_(version), cfg_(cfg), effects_(effects), without_(without) {}

void AvailableGuards::add_one(State& state, const Predicate& predicate) {
  bool varies = false; // a predicate without variables is not recorded
  for_each_variable(predicate.expr, [&](Var) { varies = true; });
  if (!varies || state.known.size() == kMostGuards) return;
  const auto [found, fresh] =
      ids_.try_emplace(predicate.expr, static_cast<std::uint32_t>(exprs_.size()));
  if (fresh) exprs_.push_back(predicate.expr);
  const std::uint32_t n = number(found->second, predicate.holds);
  const auto at = std::lower_bound(state.known.begin(), state.known.end(), n);
  if (at == state.known.end() || *at != n) state.known.insert(at, n);
}

void AvailableGuards::add(State& state, const Expr& e, bool holds) {
  add_one(state, normal(e, holds));
  const auto* const both = std::get_if<Binary>(&e);
  if (both == nullptr || both->op != (holds ? BinaryOp::And : BinaryOp::Or)) return;
  add_one(state, normal(both->left, holds));
  add_one(state, normal(both->right, holds));
}

void AvailableGuards::forget(State& state, Var x) const {
  std::erase_if(state.known, [&](std::uint32_t n) { return mentions(exprs_[n / 2], x); });
}

// A store at one literal index changes no element at another, whichever array it is to.
void AvailableGuards::forget_elements(State& state, const ArrayUpdate* store) const {
  const auto* const simple = store ? std::get_if<SimpleExpr>(&store->index) : nullptr;
  const auto* const to = simple ? std::get_if<std::int64_t>(simple) : nullptr;
  std::erase_if(state.known, [&](std::uint32_t n) {
    if (std::holds_alternative<ElementsTest>(exprs_[n / 2])) return true;
    const auto* const element = std::get_if<Index>(&exprs_[n / 2]);
    if (element == nullptr) return false;
    const auto* const from = std::get_if<std::int64_t>(&element->index);
    return to == nullptr || from == nullptr || *to == *from;
  });
}

AvailableGuards::State AvailableGuards::boundary(BlockId root) {
  State state;
  if (root == cfg_.roots().front() && !version_.cont)
    for (const Expr& e : version_.when) add(state, e, true);
  return state;
}

void AvailableGuards::transfer(State& state, Position at) {
  const Instruction& instr = version_.body[at].instr;
  if (const Var* const x = defined_by(instr)) forget(state, *x);
  if (const Var* const x = scope_effect(instr).drops) forget(state, *x);
  if (const auto* const store = std::get_if<ArrayUpdate>(&instr)) forget_elements(state, store);
  if (const auto* const call = std::get_if<Call>(&instr))
    if (effects_ == nullptr || effects_->of(*call).writes()) forget_elements(state, nullptr);
  if (at == without_) return;
  if (const auto* const assume = std::get_if<Assume>(&instr))
    for (const Expr& e : assume->guards) add(state, e, true);
  if (const auto* const assertion = std::get_if<Assert>(&instr))
    add(state, assertion->condition, true);
}

bool AvailableGuards::edge(State& state, BlockId from, std::size_t k) {
  const Block& block = cfg_[from];
  if (block.begin == block.end || block.end - 1 == without_) return true;
  const auto* const branch = std::get_if<Branch>(&version_.body[block.end - 1].instr);
  if (branch != nullptr) add(state, branch->condition, k == 0);
  return true;
}

std::optional<bool> AvailableGuards::find(const State& state, const Expr& e) const {
  const auto id = ids_.find(e);
  if (id == ids_.end()) return std::nullopt;
  for (const bool holds : {true, false})
    if (std::binary_search(state.known.begin(), state.known.end(), number(id->second, holds)))
      return holds;
  return std::nullopt;
}

// The value of `a < b` or `a <= b` by the known value of the other one, of `b < a` and of `b <= a`.
std::optional<bool> AvailableGuards::order(const State& state, const Binary& e,
                                           const Facts& facts) const {
  const bool strict = e.op == BinaryOp::Lt;
  const BinaryOp other = strict ? BinaryOp::Le : BinaryOp::Lt;
  // a < b makes a <= b true; where a <= b is false, so is a < b: for floats as well.
  if (find(state, Binary{other, e.left, e.right}) == !strict) return !strict;
  const auto opposite = find(state, Binary{other, e.right, e.left});
  if (opposite == true) return false;
  if (find(state, Binary{BinaryOp::Lt, e.right, e.left}) == true) return false;
  const bool ints =
      facts.about(e.left).types.within(Kind::Int) && facts.about(e.right).types.within(Kind::Int);
  if (opposite == false && ints) return true;
  return std::nullopt;
}

namespace {

// A variable is compared with a number: `at < x` and `at <= x` are lower bounds of x, `x < at` and
// `x <= at` upper ones.
struct Bound {
  Var x;
  Value at;
  bool lower, strict;
};

std::optional<Value> number_in(const SimpleExpr& e) {
  if (const auto* const n = std::get_if<std::int64_t>(&e)) return to_value(*n);
  if (const auto* const f = std::get_if<Float>(&e)) return to_value(*f);
  return std::nullopt;
}

// In normal form. Where the comparison is false, the opposite one is true for integers only.
std::optional<Bound> bound_of(const Binary& e, bool holds, const Facts& facts) {
  if (e.op != BinaryOp::Lt && e.op != BinaryOp::Le) return std::nullopt;
  const auto left = number_in(e.left), right = number_in(e.right);
  const Var* const x = std::get_if<Var>(left ? &e.right : &e.left);
  if (x == nullptr || !(left || right)) return std::nullopt;
  if (!holds && !facts.about(*x).types.within(Kind::Int)) return std::nullopt;
  const bool strict = (e.op == BinaryOp::Lt) == holds;
  return Bound{*x, left ? *left : *right, left.has_value() == holds, strict};
}

// Exact, also between integers and floats; false for a NaN.
bool is_true(BinaryOp op, Value a, Value b) {
  const EvalResult result = apply_binary(op, a, b);
  return result && result.value.is_true();
}

// Whether all values within `bound` lie beyond `at`, or (`touching`) equal it.
bool beyond(const Bound& bound, Value at, bool touching) {
  const Value low = bound.lower ? at : bound.at, high = bound.lower ? bound.at : at;
  return is_true(BinaryOp::Lt, low, high) ||
         (is_true(BinaryOp::Le, low, high) && (bound.strict || touching));
}

} // namespace

// All values within the bounds that are known lie on one side of the number that is asked about.
std::optional<bool> AvailableGuards::by_bounds(const State& state, const Binary& e,
                                               const Facts& facts) const {
  const auto asked = bound_of(e, true, facts);
  const auto literal = e.op == BinaryOp::Eq ? number_in(e.right) : std::nullopt;
  const Var* const compared = literal ? std::get_if<Var>(&e.left) : nullptr;
  if (!asked && compared == nullptr) return std::nullopt;
  const Var x = asked ? asked->x : *compared;
  for (const std::uint32_t n : state.known) {
    const auto* const binary = std::get_if<Binary>(&exprs_[n / 2]);
    const auto bound = binary ? bound_of(*binary, n % 2 != 0, facts) : std::nullopt;
    if (!bound || !(bound->x == x)) continue;
    if (!asked) {
      if (beyond(*bound, *literal, false)) return false;
    } else if (bound->lower == asked->lower) {
      if (beyond(*bound, asked->at, !asked->strict)) return true;
    } else if (beyond(*bound, asked->at, asked->strict)) {
      return false;
    }
  }
  return std::nullopt;
}

std::optional<bool> AvailableGuards::value(const State& state, const Expr& e,
                                           const Facts& facts) const {
  const Predicate asked = normal(e);
  auto known = find(state, asked.expr);
  const auto* const binary = std::get_if<Binary>(&asked.expr);
  if (!known && binary != nullptr && (binary->op == BinaryOp::Lt || binary->op == BinaryOp::Le))
    known = order(state, *binary, facts);
  if (!known && binary != nullptr) known = by_bounds(state, *binary, facts);
  return known ? std::optional(*known == asked.holds) : std::nullopt;
}

std::vector<Predicate> AvailableGuards::list(const State& state) const {
  std::vector<Predicate> found;
  for (const std::uint32_t n : state.known) found.push_back({exprs_[n / 2], n % 2 != 0});
  return found;
}

} // namespace sourir
