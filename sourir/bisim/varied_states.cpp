#include "sourir/bisim/varied_states.h"

#include "sourir/semantics/eval.h"
#include "sourir/semantics/resolved.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace sourir {

namespace {

constexpr std::uint64_t kSmallIntegers = 14;
constexpr std::int64_t kMostResized = 64; // elements

// Of a call or read, which gives it a value.
std::optional<Slot> result_of(const resolved::Instr& instr) {
  if (const auto* const call = std::get_if<resolved::Call>(&instr)) return call->x;
  if (const auto* const read = std::get_if<resolved::Read>(&instr)) return read->x;
  return std::nullopt;
}

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

bool VariedStates::vary_slot(Config& c, Slot slot) {
  const Value before = c.stack[c.base + slot];
  if (before.is(Tag::Array)) {
    vary_array(c.heap, before);
    return true;
  }
  const Value after = varied(before);
  std::replace(c.stack.begin() + static_cast<std::ptrdiff_t>(c.base), c.stack.end(), before, after);
  return after != before;
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

Value VariedStates::any_simple(std::span<const Value> numbers, Str string) {
  switch (choices_.below(10)) {
  case 0: return Value();
  case 1: return Value(true);
  case 2: return Value(false);
  case 3: return Value(0.5 * choices_.below(8));
  case 4: return Value(string);
  case 5: return Value(static_cast<std::int64_t>(choices_.below(6)));
  default:
    return numbers.empty() ? Value(std::int64_t{1})
                           : numbers[choices_.below(static_cast<std::uint32_t>(numbers.size()))];
  }
}

Value VariedStates::any_value(Config& c, std::span<const Value> numbers, Str string) {
  if (choices_.below(4) != 0) return any_simple(numbers, string);
  std::vector<Value> elements(choices_.below(5));
  std::ranges::fill(elements, any_simple(numbers, string));
  if (choices_.below(2) == 0)
    for (Value& v : elements) v = any_simple(numbers, string);
  return Value(c.heap.allocate(std::move(elements)));
}

void VariedStates::change(Config& c, std::span<const Value> numbers, Str string) {
  if (const std::optional<Slot> result = result_of(c.instr()); result && choices_.below(2) == 0) {
    c.stack[c.base + *result] = any_value(c, numbers, string);
    ++c.pc;
    return;
  }
  std::vector<std::size_t> bound;
  for (std::size_t i = c.base; i < c.stack.size(); ++i)
    if (!c.stack[i].is(Tag::Unbound)) bound.push_back(i);
  if (bound.empty()) return;
  const auto any = [&]() -> Value& {
    return c.stack[bound[choices_.below(static_cast<std::uint32_t>(bound.size()))]];
  };
  for (std::uint32_t changes = 1 + choices_.below(3); changes > 0; --changes) {
    Value& v = any();
    switch (choices_.below(8)) {
    case 0: v = any(); break;
    case 1:
    case 2:
    case 3:
      if (!v.is(Tag::Array)) {
        v = varied(v);
      } else if (const std::size_t size = c.heap.blocks[v.as_array().index].size(); size > 0) {
        const auto few = static_cast<std::uint32_t>(std::min<std::size_t>(size, 4));
        const Value element = any_simple(numbers, string);
        c.heap.store(v.as_array(), choices_.below(few), element);
      }
      break;
    default: v = any_value(c, numbers, string);
    }
  }
}

namespace {

// Values that may change the outcome of an operation whose other operand is `other`.
std::vector<Value> candidates(Value now, Value other) {
  std::vector<Value> all;
  if (now.is(Tag::Bool)) all.emplace_back(!now.is_true());
  if (other.is(Tag::Int)) {
    const auto n = static_cast<std::uint64_t>(other.as_int());
    for (const std::uint64_t near : {n, n + 1, n - 1})
      all.emplace_back(static_cast<std::int64_t>(near));
  } else {
    all.emplace_back(other);
  }
  if (other.is(Tag::Float) || (other.is(Tag::Int) && now.is(Tag::Float))) {
    const double d = other.is(Tag::Float) ? other.as_float() : static_cast<double>(other.as_int());
    const double most = std::numeric_limits<double>::infinity();
    for (const double near : {d, d + 1, d - 1, std::nextafter(d, most), std::nextafter(d, -most)})
      all.emplace_back(near);
    if (now.is(Tag::Int) && std::abs(d) < 1e18)
      for (const std::int64_t near : {0, 1, -1})
        all.emplace_back(static_cast<std::int64_t>(d) + near);
  }
  if (now.is(Tag::Int)) all.emplace_back(std::int64_t{1});
  all.emplace_back(std::int64_t{0});
  all.emplace_back();
  for (const bool condition : {true, false}) all.emplace_back(condition);
  return all;
}

// A value of the type; an array has one element.
Value of_type(Tag type, Config& c, Str string) {
  switch (type) {
  case Tag::Bool: return Value(true);
  case Tag::Int: return Value(std::int64_t{1});
  case Tag::Float: return Value(0.5);
  case Tag::String: return Value(string);
  case Tag::Fun: return Value(c.code->function);
  case Tag::Array: return Value(c.heap.allocate({Value(std::int64_t{1})}));
  default: return Value();
  }
}

// A copy of the array, or an array, with elements that pass the test.
Value with_elements(Config& c, Value array, Tag type, Str string) {
  std::vector<Value> elements(1);
  if (array.is(Tag::Array)) elements = c.heap.blocks[array.as_array().index];
  for (Value& v : elements)
    if (!v.is(type)) v = of_type(type, c, string);
  return Value(c.heap.allocate(std::move(elements)));
}

// An array with that element, otherwise as the one that was there, if one was.
std::optional<Value> with_element(Heap& heap, Value array, Value index, Value element) {
  if (!index.is(Tag::Int) || index.as_int() < 0 || index.as_int() > kMostResized) return {};
  const auto at = static_cast<std::size_t>(index.as_int());
  std::vector<Value> elements;
  if (array.is(Tag::Array)) elements = heap.blocks[array.as_array().index];
  if (at >= elements.size()) elements.resize(at + 1, element);
  elements[at] = element;
  return Value(heap.allocate(std::move(elements)));
}

// Values for the variables of an expression, one at a time, until `accepts` returns true. Arrays
// among them are made in the heap of `c`.
template <class Accepts>
void vary_operands(Config& c, const resolved::Expr& e, Str string, Accepts accepts) {
  const bool varies = e.a.slot != resolved::kLiteral && e.a.slot < c.code->slots.size();
  if (e.shape == resolved::Shape::ElementsTest && varies) {
    if (!accepts(e.a.slot, with_elements(c, c.env()[e.a.slot], static_cast<Tag>(e.op), string)))
      accepts(e.a.slot, Value(c.heap.allocate({}))); // it passes all such tests
    return;
  }
  if (e.shape == resolved::Shape::Index && varies) {
    for (const bool element : {true, false})
      if (const auto array =
              with_element(c.heap, c.env()[e.a.slot], eval(c.env(), e.b), Value(element));
          array && accepts(e.a.slot, *array))
        break;
    return;
  }
  for (const auto& [one, other] : {std::pair(e.a, e.b), std::pair(e.b, e.a)}) {
    if (one.slot == resolved::kLiteral || one.slot >= c.code->slots.size()) continue;
    const Value before = c.env()[one.slot];
    std::vector<Value> values = candidates(before, eval(c.env(), other));
    if (e.shape == resolved::Shape::KindTest) {
      values = {of_type(static_cast<Tag>(e.op), c, string), Value(), Value(std::int64_t{1}),
                Value(1e6)};
    } else if (one.slot == other.slot) {
      values.emplace_back(std::numeric_limits<double>::quiet_NaN());
    }
    // The same type first: guards on types were passed before.
    std::ranges::stable_sort(values, {}, [&](Value v) { return v.tag() != before.tag(); });
    for (const Value value : values)
      if (accepts(one.slot, value)) break;
    if (e.shape != resolved::Shape::Binary) break;
  }
}

// The frame with arrays of `after` elements for those of `before`: what is varied may be the length
// of an array. Empty: it has none.
std::optional<Config> with_resized_arrays(const Config& c, Value before, Value after) {
  if (!before.is(Tag::Int) || !after.is(Tag::Int)) return std::nullopt;
  if (after.as_int() < 0 || after.as_int() > kMostResized) return std::nullopt;
  Config resized = c;
  std::map<std::uint32_t, Value> made;
  for (std::size_t i = c.base; i < c.stack.size(); ++i) {
    const Value v = c.stack[i];
    if (!v.is(Tag::Array)) continue;
    std::vector<Value> elements = c.heap.blocks[v.as_array().index];
    if (static_cast<std::int64_t>(elements.size()) != before.as_int()) continue;
    const auto [at, is_new] = made.try_emplace(v.as_array().index);
    if (is_new) {
      elements.resize(static_cast<std::size_t>(after.as_int()),
                      elements.empty() ? Value(std::int64_t{1}) : elements.front());
      at->second = Value(resized.heap.allocate(std::move(elements)));
    }
    resized.stack[i] = at->second;
  }
  return made.empty() ? std::nullopt : std::optional(std::move(resized));
}

} // namespace

std::vector<Config> with_results(const Config& at_instr, Str string) {
  std::vector<Config> all;
  const std::optional<Slot> result = result_of(at_instr.instr());
  if (!result) return all;
  Config c = at_instr;
  const Value array(c.heap.allocate({Value(std::int64_t{1})}));
  ++c.pc;
  for (const Value v : {Value(std::int64_t{1}), Value(true), Value(false), array, Value(),
                        Value(1e6), Value(string)}) {
    c.stack[c.base + *result] = v;
    all.push_back(c);
  }
  return all;
}

std::vector<Config> with_other_outcome(const Config& at_branch, Str string) {
  const resolved::Expr& e = std::get<resolved::Branch>(at_branch.instr()).e;
  const EvalResult now = eval(at_branch.heap, at_branch.env(), e);
  std::vector<Config> found;
  if (!now || !now.value.is(Tag::Bool)) return found;
  Config from = at_branch;
  vary_operands(from, e, string, [&](Slot slot, Value value) {
    Config other = from;
    other.stack[other.base + slot] = value;
    const EvalResult then = eval(other.heap, other.env(), e);
    const bool differs = then && then.value.is(Tag::Bool) && then.value != now.value;
    if (!differs) return false;
    // The input may read a copy of the variable.
    Config copies = other;
    const Value before = at_branch.env()[slot];
    std::replace(copies.stack.begin() + static_cast<std::ptrdiff_t>(copies.base),
                 copies.stack.end(), before, value);
    if (auto resized = with_resized_arrays(copies, before, value))
      found.push_back(*std::move(resized));
    found.push_back(std::move(other));
    found.push_back(std::move(copies));
    return true;
  });
  return found;
}

namespace {

constexpr int kGuardRounds = 16;

// Makes variables numbers whose guard compares them with < and the like, where they are not, and
// true those that it connects.
void make_operands(Config& c, const resolved::Expr& guard) {
  if (guard.shape != resolved::Shape::Binary) return;
  const auto op = static_cast<BinaryOp>(guard.op);
  if (op == BinaryOp::Eq || op == BinaryOp::Ne) return;
  const bool connects = op == BinaryOp::And || op == BinaryOp::Or;
  for (const auto& operand : {guard.a, guard.b}) {
    if (operand.slot == resolved::kLiteral || operand.slot >= c.code->slots.size()) continue;
    Value& v = c.stack[c.base + operand.slot];
    if (connects)
      v = Value(true);
    else if (!v.is(Tag::Int) && !v.is(Tag::Float))
      v = Value(std::int64_t{1});
  }
}

std::size_t holding(const Config& c, const std::vector<resolved::Expr>& guards) {
  return static_cast<std::size_t>(std::ranges::count_if(
      guards, [&](const resolved::Expr& g) { return holds(c.heap, c.env(), g); }));
}

} // namespace

std::vector<Config> with_passing_guards(const Config& at_guards, Str string) {
  const auto* const assert = std::get_if<resolved::Assert>(&at_guards.instr());
  const std::vector<resolved::Expr> guards =
      assert != nullptr ? std::vector{assert->e}
                        : std::get<resolved::Assume>(at_guards.instr()).guards;
  Config c = at_guards;
  std::optional<Slot> last;
  std::size_t failing = 0;
  // Each round changes a variable of the first failing guard so that as many as possible hold, not
  // the one of the round before if that would only go back and forth.
  for (int round = 0; (failing = first_failing(c.heap, c.env(), guards)) < guards.size(); ++round) {
    if (round == kGuardRounds) return {};
    make_operands(c, guards[failing]);
    const std::size_t before = holding(c, guards);
    std::size_t most = 0;
    std::optional<std::pair<Slot, Value>> best;
    vary_operands(c, guards[failing], string, [&](Slot slot, Value value) {
      const Value now = std::exchange(c.stack[c.base + slot], value);
      const std::size_t hold = holding(c, guards);
      if (holds(c.heap, c.env(), guards[failing]) && (slot != last || hold > before) &&
          (!best || hold > most)) {
        most = hold;
        best = {slot, value};
      }
      c.stack[c.base + slot] = now;
      return false;
    });
    if (!best) return {};
    c.stack[c.base + best->first] = best->second;
    last = best->first;
  }
  std::vector<Config> found{c};
  for (std::size_t i = c.base; i < c.stack.size(); ++i)
    if (c.stack[i] != at_guards.stack[i])
      if (auto resized = with_resized_arrays(c, at_guards.stack[i], c.stack[i]))
        found.push_back(*std::move(resized));
  return found;
}

} // namespace sourir
