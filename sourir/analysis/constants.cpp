#include "sourir/analysis/constants.h"

#include <algorithm>

namespace sourir {
namespace {

// Adds that the guards hold.
void learn_all(const std::vector<Expr>& guards, Facts& facts) {
  for (const Expr& g : guards) {
    Facts after = facts;
    if (sourir::learn(g, true, after))
      facts = std::move(after);
    else
      facts.passed = false;
  }
}

// Adds that the expressions were evaluated without error.
template <class... Exprs>
void evaluated(Facts& facts, const Exprs&... exprs) {
  facts.passed &= (learn_evaluated(exprs, facts) && ...);
}

void declare(Var x, Fact fact, Facts& facts) { facts.set(x, std::move(fact)); }

void define(Var x, const Expr& e, Facts& facts) {
  Fact fact = evaluate(e, facts);
  evaluated(facts, e);
  facts.set(x, std::move(fact));
}

void declare_array(Var x, std::optional<std::int64_t> length, ElementTypes each, Facts& facts) {
  Fact fact = fact_of(Kind::Array);
  fact.length = length;
  fact.each = each;
  facts.set(x, std::move(fact));
}

std::optional<std::int64_t> known_int(const Expr& e, const Facts& facts) {
  const Fact fact = evaluate(e, facts);
  const auto* const n = fact.equals ? std::get_if<std::int64_t>(&*fact.equals) : nullptr;
  return n != nullptr ? std::optional(*n) : std::nullopt;
}

ElementTypes nils(std::optional<std::int64_t> length) {
  ElementTypes each;
  if (!length || *length < 0 || *length > static_cast<std::int64_t>(kMostElementTypes)) return each;
  each.count = static_cast<std::uint8_t>(*length);
  std::fill_n(each.types.begin(), each.count, TypeSet(Kind::Nil));
  return each;
}

ElementTypes types_of(const std::vector<Expr>& elements, const Facts& facts) {
  ElementTypes each;
  if (elements.size() > kMostElementTypes) return each;
  for (const Expr& e : elements) each.types[each.count++] = evaluate(e, facts).types;
  return each;
}

} // namespace

void learn(const Instruction& instr, Facts& facts, bool keeps_elements) {
  match(
      instr,
      [&](const Decl& i) {
        if (i.value)
          define(i.name, *i.value, facts);
        else
          declare(i.name, fact_of(Literal(Nil{})), facts);
      },
      [&](const Drop& i) { facts.forget(i.name); },
      [&](const Assign& i) { define(i.name, i.value, facts); },
      [&](const ArrayDecl& i) {
        const auto length = known_int(i.length, facts);
        facts.passed &= evaluate(i.length, facts).types.has(Kind::Int) && length.value_or(0) >= 0;
        evaluated(facts, i.length);
        declare_array(i.name, length, nils(length), facts);
      },
      [&](const ArrayDef& i) {
        for (const Expr& e : i.elements) evaluated(facts, e);
        declare_array(i.name, static_cast<std::int64_t>(i.elements.size()),
                      types_of(i.elements, facts), facts);
      },
      [&](const ArrayUpdate& i) {
        const TypeSet types = evaluate(i.value, facts).types;
        const auto index = known_int(i.index, facts);
        const auto length = facts.about(i.array).length;
        facts.passed &= index.value_or(0) >= 0 && (!index || !length || *index < *length);
        evaluated(facts, Expr(Index{i.array, std::int64_t{0}}), i.index, i.value);
        facts.stored(i.array, index, types);
      },
      [&](const Branch& i) { evaluated(facts, i.condition); }, [](const Goto&) {},
      [&](const Print& i) { evaluated(facts, i.value); },
      [&](const Read& i) { facts.set(i.name, fact_of(kAnyType - Kind::Array)); },
      [&](const Assert& i) { learn_all({i.condition}, facts); },
      [&](const Call& i) {
        facts.passed &= evaluate(i.callee, facts).types.has(Kind::Fun);
        evaluated(facts, i.callee);
        for (const Expr& e : i.arguments) evaluated(facts, e);
        facts.forget(i.result);
        if (!keeps_elements) facts.forget_elements();
      },
      [](const Return&) {}, [](const Stop&) {},
      [&](const Assume& i) { learn_all(i.guards, facts); }, [](const Anchor&) {},
      [](const GuardHint&) {});
}

Facts Constants::boundary(BlockId root) const {
  Facts facts;
  if (root == cfg_.roots().front() && !version_.cont) learn_all(version_.when, facts);
  return facts;
}

void Constants::transfer(Facts& facts, Position at) const {
  const Instruction& instr = version_.body[at].instr;
  const auto* const call = std::get_if<Call>(&instr);
  learn(instr, facts,
        call != nullptr && facts.knows_elements() && effects_ && !effects_().of(*call).writes());
}

bool Constants::edge(Facts& facts, BlockId from, std::size_t k) const {
  if (!facts.passed) return false;
  const Block& block = cfg_[from];
  if (block.begin == block.end) return true;
  const auto* const branch = std::get_if<Branch>(&version_.body[block.end - 1].instr);
  if (branch == nullptr) return true;
  if (evaluate(branch->condition, facts).equals == Literal(k != 0)) return false;
  return sourir::learn(branch->condition, k == 0, facts);
}

} // namespace sourir
