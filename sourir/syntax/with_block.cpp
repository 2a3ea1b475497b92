#include "sourir/syntax/with_block.h"

#include "sourir/syntax/match.h"

#include <fmt/format.h>

namespace sourir {
namespace {

constexpr std::uint64_t kMaxLength = 0xFFFFFFFF;

// The value of a literal that can be an array's length or index.
std::optional<std::uint64_t> known_length(const Expr& expr) {
  const auto* simple = std::get_if<SimpleExpr>(&expr);
  const auto* value = simple ? std::get_if<std::int64_t>(simple) : nullptr;
  if (!value || *value < 0 || static_cast<std::uint64_t>(*value) > kMaxLength) return {};
  return static_cast<std::uint64_t>(*value);
}

bool is_bool(const SimpleExpr& e) { return std::holds_alternative<bool>(e); }

std::optional<std::string> requires_operands(bool has, std::string_view op, std::string_view what) {
  return has ? std::nullopt : std::optional(fmt::format("`{}` needs {}", op, what));
}

std::optional<std::string> may_fail(const Binary& e) {
  const auto both = [&](auto is) { return is(e.left) && is(e.right); };
  switch (e.op) {
  case BinaryOp::Eq:
  case BinaryOp::Ne: return {};
  case BinaryOp::And:
  case BinaryOp::Or: return requires_operands(both(is_bool), spelling(e.op), "two booleans");
  case BinaryOp::Div:
  case BinaryOp::Mod: {
    const auto* divisor = std::get_if<std::int64_t>(&e.right);
    const bool by_zero = divisor && *divisor == 0 && is_int(e.left);
    return requires_operands(both(is_number) && !by_zero, spelling(e.op),
                             "two numbers and no division by 0");
  }
  case BinaryOp::Lt:
  case BinaryOp::Le:
  case BinaryOp::Gt:
  case BinaryOp::Ge:
  case BinaryOp::Add:
  case BinaryOp::Sub:
  case BinaryOp::Mul: break;
  }
  return requires_operands(both(is_number), spelling(e.op), "two numbers");
}

std::optional<std::string> may_fail(const ArrayUpdate& store, const WithBlock& block) {
  if (auto reason = may_fail(store.value)) return reason;
  const WithBlock::Made* made = block.find(store.array);
  if (!made || !made->array) // which is an error of its own
    return {};
  const auto index = known_length(store.index);
  const bool inside = index && made->length && *index < *made->length;
  return requires_operands(inside, "[...] <-",
                           "a literal index inside of an array whose length is a literal");
}

} // namespace

WithBlock::WithBlock(const std::vector<Deferred>& block) {
  for (std::size_t by = 0; by < block.size(); ++by)
    match(
        block[by].instr, [&](const Decl& i) { made_.emplace(i.name, Made{by, false, {}}); },
        [&](const ArrayDecl& i) { made_.emplace(i.name, Made{by, true, known_length(i.length)}); },
        [&](const ArrayDef& i) { made_.emplace(i.name, Made{by, true, i.elements.size()}); },
        [](const ArrayUpdate&) {});
}

const WithBlock::Made* WithBlock::find(Var name) const {
  const auto found = made_.find(name);
  return found == made_.end() ? nullptr : &found->second;
}

std::optional<std::string> may_fail(const Expr& expr) {
  using Reason = std::optional<std::string>;
  return match(
      expr, [](const SimpleExpr&) { return Reason(); },
      [](const Unary& e) {
        return e.op == UnaryOp::Neg
                   ? requires_operands(is_number(e.operand), spelling(e.op), "a number")
                   : requires_operands(is_bool(e.operand), spelling(e.op), "a boolean");
      },
      [](const Binary& e) { return may_fail(e); },
      [](const Index&) {
        return requires_operands(false, "x[i]", "an array and an index inside of it");
      },
      [](const Length&) { return requires_operands(false, "length", "an array"); },
      [](const KindTest&) { return Reason(); });
}

std::optional<std::string> may_fail(const DeferredInstr& instr, const WithBlock& block) {
  using Reason = std::optional<std::string>;
  return match(
      instr, [](const Decl& i) { return i.value ? may_fail(*i.value) : Reason(); },
      [](const ArrayDecl& i) {
        return requires_operands(known_length(i.length).has_value(), "array",
                                 "a literal as its length");
      },
      [](const ArrayDef& i) {
        Reason reason;
        for (std::size_t k = 0; k < i.elements.size() && !reason; ++k)
          reason = may_fail(i.elements[k]);
        return reason;
      },
      [&](const ArrayUpdate& i) { return may_fail(i, block); });
}

} // namespace sourir
