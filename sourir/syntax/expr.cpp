#include "sourir/syntax/expr.h"

#include "sourir/syntax/match.h"

namespace sourir {
namespace {

std::optional<SimpleExpr> operand(const SimpleExpr& e, const Substitution& values) {
  const auto* const x = std::get_if<Var>(&e);
  if (x == nullptr) return e;
  const auto found = values.find(*x);
  if (found == values.end()) return e;
  const auto* const simple = std::get_if<SimpleExpr>(&found->second);
  return simple != nullptr ? std::optional(*simple) : std::nullopt;
}

} // namespace

std::optional<Expr> substitute(const Expr& expr, const Substitution& values) {
  using Result = std::optional<Expr>;
  return match(
      expr,
      [&](const SimpleExpr& e) -> Result {
        if (const auto* const x = std::get_if<Var>(&e))
          if (const auto found = values.find(*x); found != values.end()) return found->second;
        return e;
      },
      [&](const Unary& e) -> Result {
        const auto of = operand(e.operand, values);
        return of ? Result(Unary{e.op, *of}) : std::nullopt;
      },
      [&](const Binary& e) -> Result {
        const auto left = operand(e.left, values), right = operand(e.right, values);
        return left && right ? Result(Binary{e.op, *left, *right}) : std::nullopt;
      },
      [&](const Index& e) -> Result {
        const auto array = operand(e.array, values), index = operand(e.index, values);
        if (!array || !index || !std::holds_alternative<Var>(*array)) return std::nullopt;
        return Index{std::get<Var>(*array), *index};
      },
      [&](const Length& e) -> Result {
        const auto array = operand(e.array, values);
        return array ? Result(Length{*array}) : std::nullopt;
      },
      [&](const KindTest& e) -> Result {
        const auto of = operand(e.operand, values);
        return of ? Result(KindTest{*of, e.kind}) : std::nullopt;
      },
      [&](const ElementsTest& e) -> Result {
        const auto of = operand(e.operand, values);
        return of ? Result(ElementsTest{*of, e.kind}) : std::nullopt;
      });
}

} // namespace sourir
