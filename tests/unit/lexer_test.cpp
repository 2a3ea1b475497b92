#include "sourir/syntax/text/lexer.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace sourir {
namespace {

std::vector<Tok> kinds(std::string_view line) {
  Lexer lexer(line);
  std::vector<Tok> found;
  for (Token token = lexer.next(); token.kind != Tok::End; token = lexer.next())
    found.push_back(token.kind);
  return found;
}

std::vector<std::string> texts(std::string_view line) {
  Lexer lexer(line);
  std::vector<std::string> found;
  for (Token token = lexer.next(); token.kind != Tok::End; token = lexer.next())
    found.emplace_back(line.substr(token.span.begin, token.span.end - token.span.begin));
  return found;
}

using Kinds = std::vector<Tok>;
using Texts = std::vector<std::string>;

TEST(Lexer, ReservedWordsAreExactlyThese) {
  const std::string_view reserved =
      "function version var drop array branch goto print read assert call return stop assume "
      "guard_hint else nil true false length";
  const std::vector<Tok> found = kinds(reserved);
  EXPECT_EQ(found.size(), 20U);
  for (const Tok kind : found) EXPECT_TRUE(is_reserved(kind));
  for (const Tok kind : kinds("is when cont anchor with int bool float string fun mod vars Var _ "
                              "guard_hints lengt functio versions prin tru"))
    EXPECT_EQ(kind, Tok::Name);
}

TEST(Lexer, MinusBelongsToALiteralUnlessAnOperandStandsBefore) {
  EXPECT_EQ(texts("x-1"), (Texts{"x", "-", "1"}));
  EXPECT_EQ(texts("x - 1"), (Texts{"x", "-", "1"}));
  EXPECT_EQ(texts("x -1"), (Texts{"x", "-", "1"}));
  EXPECT_EQ(texts("1 -1"), (Texts{"1", "-", "1"}));
  EXPECT_EQ(texts("\"a\" -1"), (Texts{"\"a\"", "-", "1"}));
  EXPECT_EQ(texts("nil -1"), (Texts{"nil", "-", "1"}));
  EXPECT_EQ(texts(") -1 ] -1"), (Texts{")", "-", "1", "]", "-", "1"}));
  EXPECT_EQ(texts("-1"), (Texts{"-1"}));
  EXPECT_EQ(texts("- 1"), (Texts{"-", "1"}));
  EXPECT_EQ(texts("x - -1"), (Texts{"x", "-", "-1"}));
  EXPECT_EQ(texts("(-1"), (Texts{"(", "-1"}));
  EXPECT_EQ(texts("return -1.5"), (Texts{"return", "-1.5"}));
  EXPECT_EQ(texts("else -1, -2"), (Texts{"else", "-1", ",", "-2"}));
  EXPECT_EQ(texts("-x"), (Texts{"-", "x"}));
}

TEST(Lexer, AnOperandOfTheLineBeforeDoesNotCount) {
  Lexer lexer("x\n-1");
  EXPECT_EQ(lexer.next().kind, Tok::Name);
  EXPECT_EQ(lexer.next().kind, Tok::End);
  EXPECT_FALSE(lexer.next_line());
  EXPECT_EQ(lexer.next().kind, Tok::Integer);
}

TEST(Lexer, Operators) {
  EXPECT_EQ(kinds("== != < <= > >= + - * / % && ||"),
            (Kinds{Tok::Eq, Tok::Ne, Tok::Lt, Tok::Le, Tok::Gt, Tok::Ge, Tok::Add, Tok::Sub,
                   Tok::Mul, Tok::Div, Tok::Mod, Tok::And, Tok::Or}));
  EXPECT_EQ(kinds("≠≤≥←¬"), (Kinds{Tok::Ne, Tok::Le, Tok::Ge, Tok::Arrow, Tok::Not}));
  EXPECT_EQ(kinds("=== <-- !== ..."), (Kinds{Tok::Eq, Tok::Equals, Tok::Arrow, Tok::Sub, Tok::Ne,
                                             Tok::Equals, Tok::Ellipsis}));
  EXPECT_EQ(operator_of(Tok::Eq), BinaryOp::Eq);
  EXPECT_EQ(operator_of(Tok::Or), BinaryOp::Or);
}

TEST(Lexer, Numbers) {
  EXPECT_EQ(kinds("1 1.5 2e3 2E3 1e+22 1e-7 0.25e2"),
            (Kinds{Tok::Integer, Tok::Float, Tok::Float, Tok::Float, Tok::Float, Tok::Float,
                   Tok::Float}));
  for (const std::string_view bad : {"1abc", "1.", "1.5.2", "1e", "2e+", "0x10", "1_000", "1.e5"})
    EXPECT_EQ(kinds(bad).front(), Tok::Bad) << bad;
  EXPECT_EQ(texts("f.v.L"), (Texts{"f", ".", "v", ".", "L"}));
}

TEST(Lexer, IntegerValues) {
  EXPECT_EQ(integer_value("-9223372036854775808"), std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(integer_value("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(integer_value("007"), 7);
  EXPECT_EQ(integer_value("-0"), 0);
  EXPECT_EQ(integer_value("9223372036854775808"), std::nullopt);
  EXPECT_EQ(integer_value("-9223372036854775809"), std::nullopt);
}

TEST(Lexer, FloatValues) {
  EXPECT_EQ(float_value("-0.25"), -0.25);
  EXPECT_EQ(float_value("1e+22"), 1e22);
  EXPECT_EQ(float_value("5e-324"), std::numeric_limits<double>::denorm_min());
  EXPECT_EQ(float_value("1.7976931348623157e308"), std::numeric_limits<double>::max());
  for (const std::string_view large :
       {"1e309", "-1e309", "0.001e400", "1e99999999999999999999", "1e9223372036854775807"})
    EXPECT_EQ(float_value(large), std::nullopt) << large;
  for (const std::string_view small :
       {"1e-400", "0.0e999999", "1e-99999999999999999999", "1e-9223372036854775807"})
    EXPECT_EQ(float_value(small), 0.0) << small;
  EXPECT_TRUE(std::signbit(*float_value("-1e-400")));
  EXPECT_EQ(float_value(std::string(400, '9') + ".0"), std::nullopt);
  EXPECT_EQ(float_value("0." + std::string(400, '0') + "1"), 0.0);
}

TEST(Lexer, StringValues) {
  EXPECT_EQ(string_value(R"("a\"b\\c\n\t\d")"), "a\"b\\c\n\t\\d");
  EXPECT_EQ(kinds(R"("a\"b" "" "\\")"), (Kinds{Tok::String, Tok::String, Tok::String}));
  EXPECT_EQ(kinds(R"("a\")").front(), Tok::Bad);
  EXPECT_EQ(kinds("\"a\nb\"").front(), Tok::Bad);
  EXPECT_EQ(kinds("\"a\\\nb\"").front(), Tok::Bad);
  EXPECT_EQ(kinds("\"a # b\" # c"), (Kinds{Tok::String}));
}

TEST(Lexer, BadTokensAreDescribed) {
  EXPECT_TRUE(describe_bad("\"abc").unclosed_string);
  EXPECT_EQ(describe_bad("1abc").message, "`1abc` is neither a number nor a name");
  EXPECT_EQ(describe_bad("&").message, "there is no operator `&`, only `&&`");
  EXPECT_EQ(describe_bad("é").message, "unexpected character `é`");
  EXPECT_EQ(describe_bad(std::string_view("\0", 1)).message, "unexpected control character U+0000");
}

TEST(Lexer, CommentsEndTheLine) {
  Lexer lexer("x # one \t\r\n#\n\n  # three");
  EXPECT_EQ(lexer.next().kind, Tok::Name);
  EXPECT_EQ(lexer.next().kind, Tok::End);
  EXPECT_EQ(lexer.next().kind, Tok::End);
  EXPECT_EQ(lexer.next_line(), " one");
  EXPECT_EQ(lexer.next().kind, Tok::End);
  EXPECT_EQ(lexer.next_line(), "");
  EXPECT_EQ(lexer.next().kind, Tok::End);
  EXPECT_EQ(lexer.next_line(), std::nullopt);
  EXPECT_EQ(lexer.next().kind, Tok::End);
  EXPECT_EQ(lexer.next_line(), " three");
  EXPECT_TRUE(lexer.at_end_of_text());
}

TEST(Lexer, FindsBytesThatAreNotUtf8) {
  const std::string ascii(200, 'a');
  EXPECT_EQ(find_bad_utf8(ascii + "é ≠ 😀" + ascii, 0), std::nullopt);
  const std::string_view bad[] = {"\x80",
                                  "\xC3",
                                  "\xC0\x80",
                                  "\xED\xA0\x80",
                                  "\xE0\x9F\xBF",
                                  "\xF5\x80\x80\x80",
                                  "\xF4\x90\x80\x80",
                                  "\xFF",
                                  "\xF0\x8F\xBF\xBF"};
  for (const std::string_view bytes : bad)
    for (const std::size_t before : {0, 63, 64, 100}) {
      const std::string text = ascii.substr(0, before) + std::string(bytes) + "abc";
      EXPECT_EQ(find_bad_utf8(text, 0), before);
      EXPECT_EQ(find_bad_utf8(ascii.substr(0, before) + std::string(bytes), 0), before);
    }
  EXPECT_EQ(find_bad_utf8("\xFF"
                          "abc",
                          1),
            std::nullopt);
}

TEST(Source, Positions) {
  const Source source("f", "ab\nüx\r\n\nlast");
  EXPECT_EQ(source.lines(), 4U);
  EXPECT_EQ(source.line(1), "ab");
  EXPECT_EQ(source.line(2), "üx");
  EXPECT_EQ(source.line(3), "");
  EXPECT_EQ(source.line(4), "last");
  EXPECT_EQ(source.line(0), "");
  EXPECT_EQ(source.line(5), "");
  EXPECT_EQ(source.position(0), (LineColumn{1, 1}));
  EXPECT_EQ(source.position(2), (LineColumn{1, 3}));
  EXPECT_EQ(source.position(3), (LineColumn{2, 1}));
  EXPECT_EQ(source.position(5), (LineColumn{2, 2})); // after a character of two bytes
  EXPECT_EQ(source.position(12), (LineColumn{4, 4}));
  EXPECT_EQ(source.position(1000), (LineColumn{4, 5}));
  EXPECT_EQ(Source("e", "").position(0), (LineColumn{1, 1}));
}

} // namespace
} // namespace sourir
