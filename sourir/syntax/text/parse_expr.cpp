#include "sourir/syntax/habits.h"
#include "sourir/syntax/source.h"
#include "sourir/syntax/text/lexer.h"
#include "sourir/syntax/text/parse_state.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {
namespace {

// --- Advice for nested expressions: the temporaries to introduce ---------------------------------

struct Flattened {
  std::string help;      // "introduce a temporary: `var t = (a * b)`, then `(t + c)`"
  std::uint32_t end = 0; // of the expression in the text
  bool conjunction = false;
};

constexpr int kMaxDepth = 32;          // of the recursion
constexpr std::size_t kMaxSteps = 6;   // temporaries in one advice
constexpr std::size_t kMaxTokens = 80; // of an expression
constexpr std::size_t kMaxHelp = 400;

int precedence(Tok op) {
  switch (op) {
  case Tok::Or: return 1;
  case Tok::And: return 2;
  case Tok::Eq:
  case Tok::Equals:
  case Tok::Ne:
  case Tok::Lt:
  case Tok::Le:
  case Tok::Gt:
  case Tok::Ge: return 3;
  case Tok::Add:
  case Tok::Sub: return 4;
  case Tok::Mul:
  case Tok::Div:
  case Tok::Mod: return 5;
  default: return 0;
  }
}

struct Part {
  std::string text;
  bool simple = true;
  bool conjunction = false;
};

// Whether `a FIRST b SECOND c` is meant as two comparisons: bools have no order.
bool chains(Tok first, Tok second) {
  const int comparison = precedence(Tok::Lt);
  if (precedence(first) != comparison || precedence(second) != comparison) return false;
  const auto equals = [](Tok op) { return op == Tok::Eq || op == Tok::Equals; };
  return second != Tok::Ne && (!equals(second) || equals(first));
}

// Reads the expression at `begin` with the usual precedences. `Defines`: whether the program has a
// function of a name.
template <class Defines>
class Flattener {
public:
  Flattener(std::string_view text, std::uint32_t begin, Defines defines)
      : text_(text), lexer_(text, begin), defines_(defines) {
    advance();
  }

  // The advice; empty if the text is no expression, or a large one.
  std::optional<Flattened> run() {
    const Part whole = binary(1);
    if (!ok_ || steps_.size() > kMaxSteps) return std::nullopt;
    if (!habit_.empty()) return Flattened{std::move(habit_), end_};
    if (steps_.empty()) return Flattened{fmt::format("write `{}`", whole.text), end_};
    std::string help = fmt::format("introduce {}: {}, then `{}`",
                                   steps_.size() == 1 ? "a temporary" : "temporaries",
                                   fmt::join(steps_, ", "), whole.text);
    if (help.size() > kMaxHelp) return std::nullopt;
    return Flattened{std::move(help), end_, whole.conjunction};
  }

private:
  bool at(Tok kind) const { return ok_ && tok_.kind == kind; }
  std::string_view spelled() const {
    return text_.substr(tok_.span.begin, tok_.span.end - tok_.span.begin);
  }
  void advance() {
    end_ = tok_.span.end;
    tok_ = lexer_.next();
    if (++tokens_ > kMaxTokens) ok_ = false;
  }
  bool take(Tok kind) { return at(kind) ? (advance(), true) : false; }
  void expect(Tok kind) { ok_ = take(kind) && ok_; }

  std::string temporary(std::string_view format, const std::string& value) {
    std::string name = steps_.empty() ? "t" : fmt::format("t{}", steps_.size() + 1);
    steps_.push_back(fmt::format(fmt::runtime(format), name, value));
    return name;
  }
  std::string simple(const Part& part) {
    return part.simple ? part.text : temporary("`var {} = {}`", part.text);
  }

  Part binary(int least) {
    if (++depth_ > kMaxDepth) ok_ = false;
    Part left = ok_ ? unary() : Part{};
    Tok last = Tok::End; // the operator before
    std::string right;   // and its second operand
    while (ok_ && precedence(tok_.kind) >= least) {
      const std::string op = at(Tok::Equals) ? "==" : std::string(spelled());
      const Tok kind = tok_.kind;
      advance();
      const std::string first = simple(left);
      const bool chain = chains(last, kind);
      const std::string from = chain ? right : first;
      right = simple(binary(precedence(kind) + 1));
      left = {fmt::format("({} {} {})", from, op, right), false, kind == Tok::And};
      if (chain) left.text = fmt::format("({} && {})", first, simple(left));
      last = kind;
    }
    --depth_;
    return left;
  }

  Part unary() {
    std::vector<std::string> ops;
    while (at(Tok::Sub) || at(Tok::Not)) {
      ops.emplace_back(at(Tok::Sub) ? "-" : "!");
      advance();
    }
    Part part = postfix();
    for (; !ops.empty(); ops.pop_back()) {
      const std::string value = simple(part);
      const bool digit = value.find_first_of("0123456789-") == 0;
      part = {fmt::format("({}{}{})", ops.back(), digit ? " " : "", value), false};
    }
    return part;
  }

  Part postfix() {
    Part part = primary();
    while (ok_ && (at(Tok::LeftBracket) || at(Tok::LeftParen))) {
      const bool index = at(Tok::LeftBracket);
      advance();
      if (index) {
        const std::string array = simple(part);
        part = {fmt::format("{}[{}]", array, simple(binary(1))), false};
        expect(Tok::RightBracket);
      } else {
        part = call(part.text);
      }
    }
    return part;
  }

  // Behind the `(`.
  Part call(const std::string& callee) {
    const bool quoted = callee.starts_with('\'');
    const std::string_view function = std::string_view(callee).substr(quoted ? 1 : 0);
    const bool foreign = !defines_(function);
    if (foreign && means_length(function)) return length();
    if (foreign && habit_.empty()) habit_ = habit_of_call(function);
    std::vector<std::string> arguments;
    while (ok_ && !at(Tok::RightParen)) {
      arguments.push_back(binary(1).text);
      if (!take(Tok::Comma)) break;
    }
    expect(Tok::RightParen);
    const std::string whole = fmt::format("'{}({})", function, fmt::join(arguments, ", "));
    return {temporary("`call {} = {}`", whole), true};
  }

  Part length() {
    const std::string array = simple(binary(1));
    expect(Tok::RightParen);
    return {fmt::format("length({})", array), false};
  }

  Part primary() {
    if (take(Tok::LeftParen)) return parenthesized();
    if (take(Tok::Length)) return expect(Tok::LeftParen), length();
    std::string prefix;
    if (take(Tok::Quote)) prefix = "'";
    switch (tok_.kind) {
    case Tok::Name:
    case Tok::Integer:
    case Tok::Float:
    case Tok::String:
    case Tok::Nil:
    case Tok::True:
    case Tok::False: {
      Part part{prefix + std::string(spelled()), true};
      advance();
      return part;
    }
    default: ok_ = false; return {};
    }
  }

  Part parenthesized() {
    Part inner = binary(1);
    if (at(Tok::Name) && spelled() == "is") {
      advance();
      std::string type(spelled());
      advance();
      if (take(Tok::LeftBracket)) expect(Tok::RightBracket), type += "[]";
      inner = {fmt::format("({} is {})", simple(inner), type), false};
    }
    expect(Tok::RightParen);
    return inner;
  }

  std::string_view text_;
  Lexer lexer_;
  Defines defines_;
  Token tok_;
  std::uint32_t end_ = 0;
  std::size_t tokens_ = 0;
  int depth_ = 0;
  bool ok_ = true;
  std::vector<std::string> steps_;
  std::string habit_; // help for a function that only other languages have
};

} // namespace

// Parentheses are counted without recursion: a file may contain a million of them.
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

void Parser::guards(std::vector<Expr>& out, std::string_view expected) {
  in_guards_ = true;
  exprs(out, expected);
  in_guards_ = false;
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
  if (in_parens && at_word("is")) return type_test(left);
  return left;
}

Expr Parser::type_test(SimpleExpr operand) {
  advance();
  constexpr std::array kinds{Kind::Nil,    Kind::Bool, Kind::Int,  Kind::Float,
                             Kind::String, Kind::Fun,  Kind::Array};
  for (const Kind kind : kinds)
    if (text(tok_.span) == spelling(kind)) {
      advance();
      return at(Tok::LeftBracket) ? elements_test(operand, kind) : Expr(KindTest{operand, kind});
    }
  unexpected("a type after `is`",
             at_word("not") ? "the opposite of a test: `(x != nil)`, or `var t = (x is int)`, then "
                              "`(!t)`"
                            : "the types are nil, bool, int, float, string, fun and array; of all "
                              "elements int[], float[] and bool[]");
  return operand;
}

Expr Parser::elements_test(SimpleExpr operand, Kind kind) {
  const Span bracket = tok_.span;
  advance();
  expect(Tok::RightBracket, "`]` after `[`");
  if (!kElementTypes.has(kind))
    fail(Code::Syntax, {bracket.begin, last_end_},
         fmt::format("elements cannot be tested for the type {}", spelling(kind)),
         "write `(a is int[])`, `(a is float[])` or `(a is bool[])`");
  return ElementsTest{operand, kind};
}

SimpleExpr Parser::operand(std::string_view expected) {
  std::uint32_t depth = 0;
  while (take(Tok::LeftParen)) ++depth;
  const SimpleExpr simple = atom(expected);
  if (depth > 0 && at_word("is")) nested();
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
      unexpected(expected, habit_at_value(text(tok_.span)));
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

// Whether the expression that was just read continues as a nested one.
bool Parser::nests() const {
  return is_operator(tok_.kind) || at(Tok::Equals) || at(Tok::LeftBracket) || at(Tok::LeftParen);
}

void Parser::close(Tok kind, std::string_view expected) {
  if (take(kind)) return;
  if (nests())
    nested();
  else
    unexpected(expected, kind == Tok::RightBracket && at(Tok::Colon)
                             ? habit_at_value(text(tok_.span))
                             : habit_at_end(text(tok_.span)));
}

void Parser::nested() {
  const auto defines = [this](std::string_view function) { return this->defines(function); };
  const auto advice = Flattener(text_, expr_begin_, defines).run();
  const std::uint32_t end = advice ? advice->end : tok_.span.end;
  std::string help =
      advice ? advice->help : "introduce a temporary for each inner operation: `var t = (a * b)`";
  if (advice && advice->conjunction && in_guards_)
    help = "all guards of a list must hold, so a comma stands for `&&`: `[(a is int), (b is int)]`";
  fail(Code::NestedExpression, {expr_begin_, std::max(end, expr_begin_ + 1)},
       "expressions do not nest: one operation on names and literals at a time", std::move(help));
}

std::optional<Expr> Parser::whole_expr() {
  start_line();
  Expr e = expr("an expression");
  // Flags and options may leave out the parentheses of `(x is int)`.
  const auto* const simple = std::get_if<SimpleExpr>(&e);
  if (simple != nullptr && at_word("is")) e = type_test(SimpleExpr(*simple));
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
