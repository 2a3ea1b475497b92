#include "sourir/bisim/unknown_values.h"

#include <algorithm>

namespace sourir {
namespace {

constexpr std::int64_t kElements = 4; // of an array whose length is not known
constexpr std::int64_t kMostElements = 1'000;

struct Choice {
  Kind kind;
  Value value; // but of an array
};
const std::vector<Choice>& all_choices() {
  static const std::vector<Choice> all = {{Kind::Int, Value(std::int64_t{1})},
                                          {Kind::Float, Value(0.5)},
                                          {Kind::Nil, Value()},
                                          {Kind::Bool, Value(true)},
                                          {Kind::Array, Value()}};
  return all;
}

// One of the values of such types; nil: there is none.
Value simple_value(TypeSet types) {
  for (const Choice& c : all_choices())
    if (c.kind != Kind::Array && types.has(c.kind)) return c.value;
  return {};
}

// With that length and elements, as far as nothing else is known of them.
Value array_of(const Fact& fact, Heap& heap, std::int64_t otherwise = kElements,
               std::optional<Value> element = {}) {
  const std::int64_t length = fact.each.known() ? fact.each.count : fact.length.value_or(otherwise);
  const auto one_of = [&](TypeSet types) {
    return element && types.has(kind_of(*element)) ? *element : simple_value(types);
  };
  std::vector<Value> elements(
      static_cast<std::size_t>(std::clamp<std::int64_t>(length, 0, kMostElements)),
      one_of(fact.elements));
  for (std::size_t i = 0; i < fact.each.count; ++i) elements[i] = one_of(fact.each.types[i]);
  return Value(heap.allocate(std::move(elements)));
}

} // namespace

const Facts& UnknownValues::Analysis::before(Pc pc) {
  const auto [at, is_new] = found.try_emplace(pc);
  if (is_new && pc < size) {
    const BlockId b = cfg.block_of(pc);
    if (solution[b.id]) {
      at->second = *solution[b.id];
      for (Position i = cfg[b].begin; i < pc; ++i) constants.transfer(at->second, i);
    }
  }
  return at->second;
}

UnknownValues::Analysis& UnknownValues::analysis(const ResolvedVersion& code) {
  std::unique_ptr<Analysis>& found = analyses_[&code];
  if (!found) found = std::make_unique<Analysis>(*code.source);
  return *found;
}

std::optional<Value> UnknownValues::choose_shown(const Fact& fact, const ShownValues& shown,
                                                 Heap& heap) {
  const auto any_of = [&](const std::vector<Value>& values) {
    return values[choices_.below(static_cast<std::uint32_t>(values.size()))];
  };
  if (!shown.arrays.empty() && fact.types.has(Kind::Array) && choices_.below(2) == 0)
    return any_of(shown.arrays);
  if (shown.named.empty()) return {};
  const Value named = any_of(shown.named);
  if (!fact.types.has(Kind::Array) || (fact.types.has(kind_of(named)) && choices_.below(2) == 0))
    return fact.types.has(kind_of(named)) ? std::optional(named) : std::nullopt;
  if (named.is(Tag::Int) && choices_.below(2) == 0) return array_of(fact, heap, named.as_int());
  return array_of(fact, heap, kElements, named);
}

Value UnknownValues::choose(const ResolvedVersion& code, Pc pc, Slot slot, std::size_t choice,
                            const ShownValues& shown, Heap& heap) {
  const Fact& fact = analysis(code).before(pc).about(code.slots[slot]);
  if (fact.equals) return to_value(*fact.equals);
  if (choice >= kUniform)
    if (const auto found = choose_shown(fact, shown, heap)) return *found;
  std::vector<Choice> possible;
  for (const Choice& c : all_choices())
    if (fact.types.has(c.kind)) possible.push_back(c);
  if (possible.empty()) return {};
  const auto n = static_cast<std::uint32_t>(possible.size());
  const Choice& chosen = possible[choice < kUniform ? choice % n : choices_.below(n)];
  return chosen.kind == Kind::Array ? array_of(fact, heap) : chosen.value;
}

} // namespace sourir
