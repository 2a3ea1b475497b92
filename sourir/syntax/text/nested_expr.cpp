#include "sourir/syntax/text/nested_expr.h"

#include "sourir/syntax/text/lexer.h"

#include <fmt/format.h>
#include <vector>

namespace sourir {

namespace {

constexpr int kMaxDepth = 32;          // of the recursion
constexpr std::size_t kMaxSteps = 6;   // temporaries in an advice
constexpr std::size_t kMaxTokens = 80; // of an expression that is worth an advice
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
};

class Flattener {
public:
  Flattener(std::string_view text, std::uint32_t begin) : text_(text), lexer_(text, begin) {
    advance();
  }

  std::optional<Flattened> run() {
    const Part whole = binary(1);
    if (!ok_ || steps_.size() > kMaxSteps) return std::nullopt;
    if (steps_.empty()) return Flattened{fmt::format("write `{}`", whole.text), end_};
    std::string help = fmt::format("introduce {}: {}, then `{}`",
                                   steps_.size() == 1 ? "a temporary" : "temporaries",
                                   fmt::join(steps_, ", "), whole.text);
    if (help.size() > kMaxHelp) return std::nullopt;
    return Flattened{std::move(help), end_};
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
    while (ok_ && precedence(tok_.kind) >= least) {
      const std::string op = at(Tok::Equals) ? "==" : std::string(spelled());
      const int level = precedence(tok_.kind);
      advance();
      const std::string first = simple(left);
      const std::string second = simple(binary(level + 1));
      left = {fmt::format("({} {} {})", first, op, second), false};
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
        std::vector<std::string> arguments;
        while (ok_ && !at(Tok::RightParen)) {
          arguments.push_back(binary(1).text);
          if (!take(Tok::Comma)) break;
        }
        expect(Tok::RightParen);
        const std::string call = fmt::format("{}({})", part.text, fmt::join(arguments, ", "));
        part = {temporary("`call {} = {}`", call), true};
      }
    }
    return part;
  }

  Part primary() {
    if (take(Tok::LeftParen)) return parenthesized();
    if (take(Tok::Length)) {
      expect(Tok::LeftParen);
      const std::string array = simple(binary(1));
      expect(Tok::RightParen);
      return {fmt::format("length({})", array), false};
    }
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
      inner = {fmt::format("({} is {})", simple(inner), spelled()), false};
      advance();
    }
    expect(Tok::RightParen);
    return inner;
  }

  std::string_view text_;
  Lexer lexer_;
  Token tok_;
  std::uint32_t end_ = 0;
  std::size_t tokens_ = 0;
  int depth_ = 0;
  bool ok_ = true;
  std::vector<std::string> steps_;
};

} // namespace

std::optional<Flattened> flatten(std::string_view text, std::uint32_t begin) {
  return Flattener(text, begin).run();
}

} // namespace sourir
