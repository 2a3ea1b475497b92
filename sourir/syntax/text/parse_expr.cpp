#include "sourir/syntax/text/nested_expr.h"
#include "sourir/syntax/text/parse_state.h"
#include "sourir/syntax/text/printer.h"

#include <array>
#include <fmt/format.h>

namespace sourir {

// Parentheses are counted, not descended into: a file may hold a million of them.
Expr Parser::expr(std::string_view expected, Callee callee) {
  expr_begin_ = tok_.span.begin;
  std::uint32_t depth = 0;
  while (take(Tok::LeftParen)) ++depth;
  Expr e = flat(depth > 0, depth > 0 ? "an expression after `(`" : expected);
  for (; depth > 0 && !failed_; --depth) {
    close(Tok::RightParen, "`)` after the expression");
    if (const auto* simple = std::get_if<SimpleExpr>(&e)) e = continued(*simple, depth > 1);
  }
  const bool arguments = callee == Callee::Yes && at(Tok::LeftParen);
  if (nests() && !arguments) nested();
  return e;
}

void Parser::exprs(std::vector<Expr>& out, std::string_view expected) {
  do out.push_back(expr(expected));
  while (take(Tok::Comma));
}

Expr Parser::flat(bool in_parens, std::string_view expected) {
  switch (tok_.kind) {
  case Tok::Sub: advance(); return Unary{UnaryOp::Neg, operand("an operand after `-`")};
  case Tok::Not: advance(); return Unary{UnaryOp::Not, operand("an operand after `!`")};
  case Tok::Length: {
    advance();
    expect(Tok::LeftParen, "`(` after `length`");
    Length length{operand("an array after `length(`")};
    close(Tok::RightParen, "`)` after the operand of `length`");
    return length;
  }
  case Tok::Name: {
    const Var name = taken_name<Var>();
    if (!take(Tok::LeftBracket)) return continued(name, in_parens);
    Index index{name, operand("an index after `[`")};
    close(Tok::RightBracket, "`]` after the index");
    return index;
  }
  default: return continued(atom(expected), in_parens);
  }
}

Expr Parser::continued(SimpleExpr left, bool in_parens) {
  if (is_operator(tok_.kind) || at(Tok::Equals)) {
    const BinaryOp op = at(Tok::Equals) ? BinaryOp::Eq : operator_of(tok_.kind);
    advance();
    return Binary{op, left, operand("an operand after the operator")};
  }
  if (in_parens && at_word("is")) return kind_test(left);
  return left;
}

Expr Parser::kind_test(SimpleExpr operand) {
  advance();
  constexpr std::array kinds{Kind::Nil,    Kind::Bool, Kind::Int,  Kind::Float,
                             Kind::String, Kind::Fun,  Kind::Array};
  for (const Kind kind : kinds)
    if (text(tok_.span) == spelling(kind)) {
      advance();
      return KindTest{operand, kind};
    }
  unexpected("a kind after `is`", "the kinds are nil, bool, int, float, string, fun and array");
  return operand;
}

SimpleExpr Parser::operand(std::string_view expected) {
  std::uint32_t depth = 0;
  while (take(Tok::LeftParen)) ++depth;
  const SimpleExpr simple = atom(expected);
  for (; depth > 0 && !failed_; --depth) close(Tok::RightParen, "`)` after the operand");
  return simple;
}

SimpleExpr Parser::atom(std::string_view expected) {
  const Span span = tok_.span;
  switch (tok_.kind) {
  case Tok::Name: return taken_name<Var>();
  case Tok::Nil: advance(); return Nil{};
  case Tok::True: advance(); return true;
  case Tok::False: advance(); return false;
  case Tok::Quote: return function_reference();
  case Tok::Integer: {
    const auto value = integer_value(text(span));
    if (!value)
      fail(Code::BadInteger, span, "this integer does not fit into 64 bits",
           "integers go from -9223372036854775808 to 9223372036854775807");
    else
      advance();
    return value.value_or(0);
  }
  case Tok::Float: {
    const auto value = float_value(text(span));
    if (!value)
      fail(Code::BadFloat, span, "this float is too large for binary64",
           "the largest is 1.7976931348623157e+308");
    else
      advance();
    return Float{value.value_or(0)};
  }
  case Tok::String: {
    const Str value = names_.intern<Str>(string_value(text(span)));
    advance();
    return value;
  }
  case Tok::Sub:
  case Tok::Not:
  case Tok::Length: nested(); return Nil{};
  default:
    if (is_reserved(tok_.kind))
      missing_name(expected);
    else
      unexpected(expected);
    return Nil{};
  }
}

SimpleExpr Parser::function_reference() {
  const Span quote = tok_.span;
  advance();
  if (at(Tok::Name) && tok_.span.begin != quote.end)
    fail(Code::Syntax, {quote.begin, tok_.span.end}, "a blank between `'` and the function's name",
         fmt::format("write `'{}`", text(tok_.span)));
  return name<FunName>("a function name after `'`");
}

// Whether the expression that was just read goes on in a way that flat expressions cannot.
bool Parser::nests() const {
  return is_operator(tok_.kind) || at(Tok::Equals) || at(Tok::LeftBracket) || at(Tok::LeftParen);
}

void Parser::close(Tok kind, std::string_view expected) {
  if (take(kind)) return;
  if (nests())
    nested();
  else
    unexpected(expected);
}

void Parser::nested() {
  const auto advice = flatten(text_, expr_begin_);
  const std::uint32_t end = advice ? advice->end : tok_.span.end;
  fail(Code::NestedExpression, {expr_begin_, std::max(end, expr_begin_ + 1)},
       "expressions do not nest: one operation on names and literals at a time",
       advice ? advice->help : "introduce a temporary for each inner operation: `var t = (a * b)`");
}

std::optional<Expr> Parser::whole_expr() {
  start_line();
  Expr e = expr("an expression");
  expect_end("the expression");
  return failed_ || lexer_.offset() != text_.size() ? std::nullopt : std::optional(e);
}

std::optional<Literal> Parser::whole_literal() {
  start_line();
  const SimpleExpr simple = atom("a literal");
  expect_end("the literal");
  if (failed_ || lexer_.offset() != text_.size()) return std::nullopt;
  return match(
      simple, [](Var) -> std::optional<Literal> { return std::nullopt; },
      [](auto literal) -> std::optional<Literal> { return Literal(literal); });
}

} // namespace sourir
