#include "sourir/syntax/text/parser.h"

#include "sourir/syntax/text/parse_state.h"

#include <fmt/format.h>

#include <cstring>

namespace sourir {

namespace {

constexpr std::size_t kMaxErrors = 1000; // of a text; nobody reads more

// At most `limit` bytes, cut between characters.
std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return std::string(text.substr(0, limit)) + "...";
}

} // namespace

Parser::Parser(std::string_view text, Names& names, Diagnostics& problems)
    : text_(text), names_(names), problems_(problems), lexer_(text),
      bad_utf8_(find_bad_utf8(text, 0)), first_error_(problems.errors()) {}

void Parser::start_line() {
  failed_ = false;
  peeked_.reset();
  tok_ = {Tok::End, {lexer_.offset(), lexer_.offset()}};
  if (bad_utf8_) {
    Lexer end = lexer_;
    end.skip_line();
    if (*bad_utf8_ < end.offset()) {
      fail(Code::BadEncoding, {*bad_utf8_, *bad_utf8_ + 1}, "this byte is not UTF-8",
           "the line is ignored; store the file as UTF-8");
      bad_utf8_ = find_bad_utf8(text_, end.offset());
      return;
    }
  }
  tok_ = lexer_.next();
}

std::optional<std::string_view> Parser::finish_line() {
  const bool failed = failed_;
  if (failed) lexer_.skip_line();
  const auto comment = lexer_.next_line();
  return failed ? std::nullopt : comment;
}

void Parser::advance() {
  last_end_ = tok_.span.end;
  tok_ = peeked_ ? *peeked_ : lexer_.next();
  peeked_.reset();
}

Tok Parser::peek() {
  if (failed_) return Tok::End;
  if (!peeked_) peeked_ = lexer_.next();
  return peeked_->kind;
}

void Parser::fail(Code code, Span span, std::string message, std::string help) {
  if (failed_) return;
  failed_ = true;
  if (at(Tok::Bad) && span == tok_.span) {
    BadToken bad = describe_bad(text(tok_.span));
    code = bad.unclosed_string ? Code::BadString : Code::Syntax;
    message = std::move(bad.message);
    help = bad.unclosed_string ? "strings end on their line with `\"`; \\n stands for a new line"
                               : std::string();
  }
  problems_.add(code, span, std::move(message)).help = std::move(help);
  tok_ = {Tok::End, {tok_.span.begin, tok_.span.begin}};
  peeked_.reset();
  if (problems_.errors() - first_error_ >= kMaxErrors) lexer_ = Lexer(text_, lexer_.size());
}

void Parser::unexpected(std::string_view expected, std::string help) {
  if (failed_) return;
  const std::string found =
      at(Tok::End) ? "the end of the line" : fmt::format("`{}`", shortened(text(tok_.span), 40));
  fail(Code::Syntax, tok_.span, fmt::format("expected {}, found {}", expected, found),
       std::move(help));
}

void Parser::expect(Tok kind, std::string_view expected) {
  if (!take(kind)) unexpected(expected);
}

void Parser::expect_end(std::string_view after) {
  if (at(Tok::End)) return;
  std::string help;
  if (at(Tok::Arrow)) help = "`<-` assigns; for a comparison with a negative number write `< -`";
  if (at_word("is")) help = "a kind test needs its parentheses: `(x is int)`";
  unexpected(fmt::format("the end of the line after {}", after), std::move(help));
}

void Parser::missing_name(std::string_view expected) {
  if (is_reserved(tok_.kind))
    fail(Code::ReservedWord, tok_.span,
         fmt::format("expected {}, but `{}` is a reserved word", expected, text(tok_.span)));
  else
    unexpected(expected);
}

namespace {

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

} // namespace

Parsed parse(const Source& source, Names& names, Diagnostics& problems) {
  return Parser(source.text(), names, problems).program();
}

std::optional<Literal> parse_literal(std::string_view text, Names& names) {
  Diagnostics problems;
  return Parser(trimmed(text), names, problems).whole_literal();
}

std::optional<Expr> parse_expr(std::string_view text, Names& names) {
  Diagnostics problems;
  return Parser(trimmed(text), names, problems).whole_expr();
}

std::optional<Place> parse_place(std::string_view text, Names& names) {
  Diagnostics problems;
  return Parser(trimmed(text), names, problems).whole_place();
}

} // namespace sourir
