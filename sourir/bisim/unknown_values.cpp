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

Value array_of(const Fact& fact, Heap& heap) {
  const std::int64_t length = fact.each.known() ? fact.each.count : fact.length.value_or(kElements);
  std::vector<Value> elements(
      static_cast<std::size_t>(std::clamp<std::int64_t>(length, 0, kMostElements)),
      simple_value(fact.elements));
  for (std::size_t i = 0; i < fact.each.count; ++i) elements[i] = simple_value(fact.each.types[i]);
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

Value UnknownValues::choose(const ResolvedVersion& code, Pc pc, Slot slot, std::size_t choice,
                            Heap& heap) {
  const Fact& fact = analysis(code).before(pc).about(code.slots[slot]);
  if (fact.equals) return to_value(*fact.equals);
  std::vector<Choice> possible;
  for (const Choice& c : all_choices())
    if (fact.types.has(c.kind)) possible.push_back(c);
  if (possible.empty()) return {};
  const auto n = static_cast<std::uint32_t>(possible.size());
  const Choice& chosen = possible[choice < kUniform ? choice % n : choices_.below(n)];
  return chosen.kind == Kind::Array ? array_of(fact, heap) : chosen.value;
}

} // namespace sourir
