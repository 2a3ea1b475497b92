#include "sourir/bisim/generate/generated_inputs.h"

#include "sourir/bisim/generate/choice_sequence.h"

#include <array>
#include <cmath>
#include <limits>
#include <set>

namespace sourir {
namespace {

constexpr std::size_t kLength = 200, kLeading = 40, kMixed = 8;

Value small_number(ChoiceSequence& choices) {
  return Value(static_cast<std::int64_t>(choices.below(10)));
}

Value edge_number(ChoiceSequence& choices) {
  using Limits = std::numeric_limits<std::int64_t>;
  constexpr std::array<std::int64_t, 8> kEdgeNumbers{
      0, 1, -1, 2, 7, 1'000, Limits::max(), Limits::min()};
  return Value(kEdgeNumbers[choices.below(kEdgeNumbers.size())]);
}

Value any_value(ChoiceSequence& choices, Names& names) {
  switch (choices.below(8)) {
  case 0: return Value();
  case 1: return Value(choices.chance(1, 2));
  case 2: return Value(0.5 * choices.below(8) - 1.0);
  case 3: return Value(names.intern<Str>(choices.chance(1, 2) ? "a" : "b"));
  case 4: return edge_number(choices);
  default: return small_number(choices);
  }
}

} // namespace

bool reads_input(const Program& program) {
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& s : v.body)
        if (std::holds_alternative<Read>(s.instr)) return true;
  return false;
}

namespace {

class Mentioned {
public:
  void add(const SimpleExpr& e) {
    if (const auto* const n = std::get_if<std::int64_t>(&e)) {
      numbers_.insert(*n);
      if (*n != std::numeric_limits<std::int64_t>::min()) numbers_.insert(*n - 1);
      if (*n != std::numeric_limits<std::int64_t>::max()) numbers_.insert(*n + 1);
    } else if (const auto* const d = std::get_if<Float>(&e)) {
      floats_.insert({d->value, std::signbit(d->value)});
      floats_.insert({-d->value, !std::signbit(d->value)});
    } else if (const auto* const s = std::get_if<Str>(&e)) {
      strings_.insert(s->id);
    }
  }
  void add(const Expr& e) {
    if (const auto* const simple = std::get_if<SimpleExpr>(&e)) add(*simple);
    if (const auto* const binary = std::get_if<Binary>(&e)) add(binary->left), add(binary->right);
  }
  void add(const Instruction& instr) {
    if (const auto* const i = std::get_if<Decl>(&instr); i && i->value) add(*i->value);
    if (const auto* const i = std::get_if<Assign>(&instr)) add(i->value);
    if (const auto* const i = std::get_if<Branch>(&instr)) add(i->condition);
    if (const auto* const i = std::get_if<Assume>(&instr))
      for (const Expr& guard : i->guards) add(guard);
  }
  std::vector<SimpleExpr> all() const {
    std::vector<SimpleExpr> out{Nil{}, true, false};
    for (const std::int64_t n : numbers_) out.emplace_back(n);
    for (const auto& [d, sign] : floats_) out.emplace_back(Float{d});
    for (const std::uint32_t s : strings_) out.emplace_back(Str{s});
    return out;
  }

private:
  std::set<std::int64_t> numbers_;
  std::set<std::pair<double, bool>> floats_; // with the sign, for zeros
  std::set<std::uint32_t> strings_;
};

Value value_of(const SimpleExpr& e) {
  if (const auto* const b = std::get_if<bool>(&e)) return Value(*b);
  if (const auto* const n = std::get_if<std::int64_t>(&e)) return Value(*n);
  if (const auto* const d = std::get_if<Float>(&e)) return Value(d->value);
  if (const auto* const s = std::get_if<Str>(&e)) return Value(*s);
  return Value();
}

} // namespace

std::vector<SimpleExpr> mentioned_literals(const Program& program) {
  Mentioned mentioned;
  for (const Function& f : program.functions)
    for (const Version& v : f.versions) {
      for (const Expr& guard : v.when) mentioned.add(guard);
      for (const Stmt& s : v.body) mentioned.add(s.instr);
    }
  return mentioned.all();
}

std::vector<std::vector<Value>> many_inputs(const Program& program, std::uint64_t seed,
                                            Names& names) {
  auto lists = generated_inputs(program, seed, names);
  if (!reads_input(program)) return lists;
  const std::vector<SimpleExpr> literals = mentioned_literals(program);
  const auto count = static_cast<std::uint32_t>(literals.size());
  ChoiceSequence choices(seed);
  // Each literal once as the first value, then any values.
  const std::size_t lead = std::min<std::size_t>(count, kLeading);
  for (std::size_t i = 0; i < lead + kMixed; ++i) {
    auto& list = lists.emplace_back();
    if (i < lead) list.push_back(value_of(literals[count <= kLeading ? i : choices.below(count)]));
    while (list.size() < kLength)
      list.push_back(choices.chance(1, 2) ? value_of(literals[choices.below(count)])
                                          : any_value(choices, names));
  }
  return lists;
}

std::vector<std::vector<Value>> generated_inputs(const Program& program, std::uint64_t seed,
                                                 Names& names) {
  if (!reads_input(program)) return {{}};
  ChoiceSequence choices(seed);
  std::vector<std::vector<Value>> lists(4);
  for (std::size_t i = 0; i < kLength; ++i) {
    lists[0].push_back(small_number(choices));
    lists[1].push_back(any_value(choices, names));
    lists[2].push_back(edge_number(choices));
  }
  for (std::uint32_t i = choices.below(3); i > 0; --i) lists[3].push_back(small_number(choices));
  return lists;
}

} // namespace sourir
