// Lexer of one line at a time, values of literal tokens, descriptions of bad ones, and the check of
// UTF-8. A token is a Tok and a span; the parser computes its value when it takes the token.
#pragma once

#include "sourir/syntax/expr.h"
#include "sourir/syntax/source.h"

#include <charconv>
#include <optional>
#include <string>
#include <string_view>

namespace sourir {

enum class Tok : std::uint8_t {
  End, // of the line: a line feed, a comment or the end of the text follows
  Name,
  Integer,
  Float,
  String,
  Bad, // no token; describe_bad() gives the reason
  // reserved words, Function to Length
  Function,
  Version,
  VarWord,
  Drop,
  Array,
  Branch,
  Goto,
  Print,
  Read,
  Assert,
  Call,
  Return,
  Stop,
  Assume,
  GuardHint,
  Else,
  Nil,
  True,
  False,
  Length,
  // binary operators in the order of BinaryOp
  Eq,
  Ne,
  Lt,
  Le,
  Gt,
  Ge,
  Add,
  Sub,
  Mul,
  Div,
  Mod,
  And,
  Or,
  // everything else
  Not,
  Equals, // =
  Arrow,  // <-
  LeftParen,
  RightParen,
  LeftBracket,
  RightBracket,
  LeftBrace,
  RightBrace,
  Comma,
  Colon,
  Dollar,
  Quote,
  Dot,
  Ellipsis,
};

inline bool is_reserved(Tok kind) { return kind >= Tok::Function && kind <= Tok::Length; }
inline bool is_operator(Tok kind) { return kind >= Tok::Eq && kind <= Tok::Or; }
inline BinaryOp operator_of(Tok kind) {
  return static_cast<BinaryOp>(static_cast<int>(kind) - static_cast<int>(Tok::Eq));
}

struct Token {
  Tok kind = Tok::End;
  Span span;
};

class Lexer {
public:
  explicit Lexer(std::string_view text, std::uint32_t at = 0)
      : text_(text), at_(at), size_(static_cast<std::uint32_t>(text.size())) {}

  // The next token of the line; at its end always Tok::End.
  Token next();
  std::uint32_t offset() const { return at_; }
  std::uint32_t size() const { return size_; }
  bool at_end_of_text() const { return at_ == size_; }

  // Moves to the end of the line.
  void skip_line();
  // Precondition: the lexer is at the end of a line. Moves past its line feed. Returns the comment
  // that ends the line, if any, without '#' and trailing blanks.
  std::optional<std::string_view> next_line();

private:
  Token operator_token(std::uint32_t begin);
  Tok number(); // from its first digit
  Tok string(); // from its opening quote
  Tok other(unsigned char c);
  bool take(char c) { return at_ < size_ && text_[at_] == c ? (++at_, true) : false; }

  std::string_view text_;
  std::uint32_t at_, size_;
  bool after_operand_ = false; // decides whether '-' before a digit is a sign
};

// The token of a reserved word; Tok::Name if the text is none.
Tok reserved_word(std::string_view text);

// Values of tokens. Integer: empty if out of range. Float: empty if not finite.
std::optional<std::int64_t> integer_value(std::string_view token);
// As std::from_chars, also with standard libraries that lack it for doubles.
std::from_chars_result read_double(std::string_view text, double& value);
std::optional<double> float_value(std::string_view token);
// The contents of a string token, escapes resolved.
std::string string_value(std::string_view token);

// The problem of a Bad token: BadString (unclosed_string) or Syntax, with a message.
struct BadToken {
  bool unclosed_string;
  std::string message;
};
BadToken describe_bad(std::string_view token);

// Offset of the first byte from `from` on that is not UTF-8.
std::optional<std::uint32_t> find_bad_utf8(std::string_view text, std::uint32_t from);

} // namespace sourir
