#include "sourir/bisim/varied_states.h"

#include "sourir/semantics/eval.h"
#include "sourir/semantics/resolved.h"

#include <algorithm>

namespace sourir {

namespace {

constexpr std::uint64_t kSmallIntegers = 14;

} // namespace

void VariedStates::vary(Config& c, std::size_t count, std::uint64_t number) {
  if (count == 0) return;
  if (const std::size_t slot = number % count; number / count < kSmallIntegers) {
    Value& v = c.stack[c.base + slot];
    if (v.is(Tag::Int)) {
      v = Value(static_cast<std::int64_t>(number / count));
      return;
    }
  }
  const auto any = [&]() -> Value& {
    return c.stack[c.base + choices_.below(static_cast<std::uint32_t>(count))];
  };
  for (std::uint32_t changes = 1 + choices_.below(3); changes > 0; --changes) {
    Value& v = any();
    if (Value& other = any(); other.tag() == v.tag() && choices_.below(3) == 0) {
      std::swap(v, other);
      continue;
    }
    if (v.is(Tag::Array))
      vary_array(c.heap, v);
    else
      v = varied(v);
  }
}

Value VariedStates::varied(Value v) {
  if (v.is(Tag::Int)) {
    const auto n = static_cast<std::uint64_t>(v.as_int());
    const std::uint64_t all[] = {n + 1, n - 1, 2 * n, n / 2, n + 10, choices_.below(20), -n};
    return Value(static_cast<std::int64_t>(all[choices_.below(std::size(all))]));
  }
  if (v.is(Tag::Float)) {
    const double d = v.as_float();
    const double all[] = {d + 1, d - 1, 2 * d, d / 2, 0.0, -d};
    return Value(all[choices_.below(std::size(all))]);
  }
  if (v.is(Tag::Bool)) return Value(!v.is_true());
  return v;
}

void VariedStates::vary_array(Heap& heap, Value array) {
  for (std::uint32_t depth = choices_.below(4);; --depth) {
    const auto& block = heap.blocks[array.as_array().index];
    if (block.empty()) return;
    const auto size = static_cast<std::uint32_t>(std::min<std::size_t>(block.size(), 1U << 20));
    const std::uint32_t at = choices_.below(size);
    const Value v = block[at];
    if (v.is(Tag::Array) && depth > 0) {
      array = v;
      continue;
    }
    Value to;
    switch (choices_.below(11)) {
    case 0:
    case 1: break;
    case 2:
    case 3: to = block[choices_.below(size)]; break;
    case 4:
    case 5: to = Value(heap.allocate(block)); break; // longer lists, higher trees
    case 6: to = v.is(Tag::Int) ? Value(0.5) : Value(std::int64_t{1}); break; // of another type
    default: to = varied(v);
    }
    heap.store(array.as_array(), at, to);
    return;
  }
}

namespace {

// Values that may change the outcome of an operation whose other operand is `other`.
std::vector<Value> candidates(Value now, Value other) {
  std::vector<Value> all;
  if (now.is(Tag::Bool)) return {Value(!now.is_true())};
  if (other.is(Tag::Int)) {
    const auto n = static_cast<std::uint64_t>(other.as_int());
    for (const std::uint64_t near : {n, n + 1, n - 1})
      all.emplace_back(static_cast<std::int64_t>(near));
  } else if (other.is(Tag::Float)) {
    all = {other, Value(other.as_float() + 1), Value(other.as_float() - 1)};
  } else {
    all = {other};
  }
  if (now.is(Tag::Int)) all.emplace_back(std::int64_t{1});
  all.emplace_back(std::int64_t{0});
  all.emplace_back();
  return all;
}

std::vector<Value> of_type(Tag type) {
  switch (type) {
  case Tag::Nil: return {Value()};
  case Tag::Bool: return {Value(true)};
  case Tag::Int: return {Value(std::int64_t{1})};
  case Tag::Float: return {Value(0.5)};
  default: return {};
  }
}

} // namespace

std::vector<Config> with_other_outcome(const Config& at_branch) {
  const resolved::Expr& e = std::get<resolved::Branch>(at_branch.instr()).e;
  const EvalResult now = eval(at_branch.heap, at_branch.env(), e);
  std::vector<Config> found;
  if (!now || !now.value.is(Tag::Bool)) return found;
  const auto try_value = [&](Slot slot, Value value) {
    Config other = at_branch;
    other.stack[other.base + slot] = value;
    const EvalResult then = eval(other.heap, other.env(), e);
    const bool differs = then && then.value.is(Tag::Bool) && then.value != now.value;
    if (differs) found.push_back(std::move(other));
    return differs;
  };
  for (const auto& [one, other] : {std::pair(e.a, e.b), std::pair(e.b, e.a)}) {
    if (one.slot == resolved::kLiteral || one.slot >= at_branch.code->slots.size()) continue;
    const Value before = at_branch.env()[one.slot];
    std::vector<Value> values = candidates(before, eval(at_branch.env(), other));
    if (e.shape == resolved::Shape::KindTest) {
      values = of_type(static_cast<Tag>(e.op));
      values.emplace_back();
      values.emplace_back(std::int64_t{1});
    }
    // The same type first: guards on types were passed before.
    std::ranges::stable_sort(values, {}, [&](Value v) { return v.tag() != before.tag(); });
    for (const Value value : values)
      if (try_value(one.slot, value)) break;
    if (e.shape != resolved::Shape::Binary) break;
  }
  return found;
}

} // namespace sourir
