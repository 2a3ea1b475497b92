#include "tests/unit/reading.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

// What single instructions are read as, printed in the prototype's notation.
std::string read(const std::string& line) {
  const Reading r(line);
  EXPECT_EQ(r.found(), Strings{}) << line;
  if (r.parsed.program.functions.empty() || r.version().body.empty()) return "(nothing)";
  return r.text(r.instr(0));
}

TEST(Parser, PrototypeNotation) {
  for (const std::string line :
       {"var x",
        "var x = nil",
        "drop x",
        "x <- (a + b)",
        "array x[(n * 2)]",
        "array x = []",
        "array x = [1, 'f, \"s\", 1.5, true, y]",
        "x[(i + 1)] <- a[i]",
        "branch (x == 0) $a $b",
        "goto L",
        "print (!x)",
        "read x",
        "assert (x is array)",
        "call x = f(a, (b < 1))",
        "call x = 'f()",
        "call x = a[0](y)",
        "return length(x)",
        "stop",
        "stop 3",
        "assume [] else (f, v, L) []",
        "anchor else (f, v, L) [var x = (x + 1)]",
        "assume [true] else (f, v, L) []",
        "guard_hint (x is int), y",
        "assume [(x != nil), y] else (f, v, L) [var x = x], (g, w, M) [var r = $, var y = -1]"})
    EXPECT_EQ(read(line), line);
}

TEST(Parser, PaperNotation) {
  EXPECT_EQ(read("var y = x + 1"), "var y = (x + 1)");
  EXPECT_EQ(read("branch x == 0 L1 L2"), "branch (x == 0) $L1 $L2");
  EXPECT_EQ(read("branch x = 0 $L1 L2"), "branch (x == 0) $L1 $L2");
  EXPECT_EQ(read("branch (x is int) L1 L2"), "branch (x is int) $L1 $L2");
  EXPECT_EQ(read("branch x is L"), "branch x $is $L");
  EXPECT_EQ(read("x ← ¬y"), "x <- (!y)");
  EXPECT_EQ(read("x[i + 1] ← a ≠ b"), "x[(i + 1)] <- (a != b)");
  EXPECT_EQ(read("return a ≤ b"), "return (a <= b)");
  EXPECT_EQ(read("return a ≥ b"), "return (a >= b)");
  EXPECT_EQ(read("var y = x = z"), "var y = (x == z)");
  EXPECT_EQ(read("call x = f (a + 1, -b)"), "call x = f((a + 1), (-b))");
  EXPECT_EQ(read("assume true else f.v.L []"), "assume [] else (f, v, L) []");
  EXPECT_EQ(read("assume true, x else f.v.L []"), "assume [true, x] else (f, v, L) []");
  EXPECT_EQ(read("assume x = 1, y else F.V.L [x = e] G.V.M r [y = e + 1] H.V.N s []"),
            "assume [(x == 1), y] else (F, V, L) [var x = e], "
            "(G, V, M) [var r = $, var y = (e + 1)], (H, V, N) [var s = $]");
}

TEST(Parser, NotationsMix) {
  EXPECT_EQ(read("assume x else (f, v, L) [x = e, var y] g.w.M r [var z = 1], (h, u, N) [s = $]"),
            "assume [x] else (f, v, L) [var x = e, var y = nil], "
            "(g, w, M) [var r = $, var z = 1], (h, u, N) [var s = $]");
  EXPECT_EQ(read("assume [x] else f.v.L [], g.w.M [var r = $, y = 2]"),
            "assume [x] else (f, v, L) [], (g, w, M) [var r = $, var y = 2]");
}

TEST(Parser, ParenthesesAroundSimpleExpressions) {
  EXPECT_EQ(read("print (x)"), "print x");
  EXPECT_EQ(read("print ((x))"), "print x");
  EXPECT_EQ(read("print ((x) + ((y)))"), "print (x + y)");
  EXPECT_EQ(read("print (((x + y)))"), "print (x + y)");
  EXPECT_EQ(read("print ((x) is nil)"), "print (x is nil)");
  EXPECT_EQ(read("print length((x))"), "print length(x)");
  EXPECT_EQ(read("print a[(i)]"), "print a[i]");
  EXPECT_EQ(read("call x = ('f)(y)"), "call x = 'f(y)");
  EXPECT_EQ(read("call x = (a + b)(y)"), "call x = (a + b)(y)");
}

TEST(Parser, SignsAndLiterals) {
  EXPECT_EQ(read("x <- -1"), "x <- -1");
  EXPECT_EQ(read("x <- (- 1)"), "x <- (- 1)");
  EXPECT_EQ(read("x <- - 1"), "x <- (- 1)");
  EXPECT_EQ(read("x <- - -1"), "x <- (- -1)");
  EXPECT_EQ(read("x <- y-1"), "x <- (y - 1)");
  EXPECT_EQ(read("x <- y - -1"), "x <- (y - -1)");
  EXPECT_EQ(read("x <- (y -1)"), "x <- (y - 1)");
  EXPECT_EQ(read("x <- -9223372036854775808"), "x <- -9223372036854775808");
  EXPECT_EQ(read("x <- (- 2.5)"), "x <- (- 2.5)");
  EXPECT_EQ(read("x <- 2e3"), "x <- 2000.0");
  EXPECT_EQ(read("x <- 1e22"), "x <- 1e+22");
  EXPECT_EQ(read(R"(x <- "\q\"\n")"), R"(x <- "\\q\"\n")");
}

TEST(Parser, ContextualWordsAreNames) {
  for (const std::string word : {"is", "when", "cont", "anchor", "with", "int", "nul", "array_"}) {
    const std::string text =
        "function " + word + "(var a)\nversion " + word + " when [(a is int)]\n" + word +
        ":\n  var " + word + " = a\n  " + word + " <- 3\n  " + word + "[0] <- " + word + "[" +
        word + "]\n  print (" + word + " is int)\n  drop " + word + "\n  call " + word + " = '" +
        word + "(" + word + ")\n  goto " + word + "\n  assume [" + word + "] else (" + word + ", " +
        word + ", " + word + ") [var " + word + " = " + word + "], (" + word + ", " + word + ", " +
        word + ") [var " + word + " = $] with {\n    var " + word + "\n  }\n";
    const Reading r(text);
    EXPECT_EQ(r.found(), Strings{}) << text;
    EXPECT_EQ(r.printed(), text);
    const Reading paper(r.printed(Notation::Paper), r.names);
    EXPECT_EQ(paper.found(), Strings{}) << paper.source.text();
    EXPECT_EQ(paper.parsed.program, r.parsed.program) << paper.source.text();
  }
}

TEST(Parser, VersionHeaders) {
  const std::string text = "function f(var a)\n"
                           "version when when [a, (a < 1)]\n  return 1\n"
                           "version cont cont L [x, cont]\nL:\n  goto L\n"
                           "version c cont when [] when [(a is nil)]\nwhen:\n  goto when\n"
                           "version base\n  return 2\n";
  const Reading r(text);
  EXPECT_EQ(r.found(), Strings{});
  EXPECT_EQ(r.printed(), text);
  ASSERT_EQ(r.parsed.program.functions[0].versions.size(), 4U);
  EXPECT_EQ(r.version(0, 1).cont->names.size(), 2U);
  const Function& f = r.parsed.program.functions[0];
  EXPECT_EQ(active_version(f), &f.versions[0]);
  EXPECT_EQ(base_version(f), &f.versions[3]);
}

TEST(Parser, LeadingLinesAreMain) {
  const Reading r("print 1\nfunction f(a, var b)\n");
  ASSERT_EQ(r.parsed.program.functions.size(), 2U);
  EXPECT_TRUE(r.parsed.program.functions[0].implicit);
  EXPECT_FALSE(r.parsed.program.functions[1].implicit);
  EXPECT_EQ(r.names->text(r.parsed.program.functions[0].name), "main");
  EXPECT_EQ(r.names->text(r.version(1).name), "anon");
  EXPECT_EQ(r.parsed.program.functions[1].params.size(), 2U);
  EXPECT_TRUE(r.version(1).body.empty());
  EXPECT_TRUE(Reading("").parsed.program.functions.empty());
  EXPECT_TRUE(Reading("# nothing\n\n").parsed.program.functions.empty());
}

TEST(Parser, LabelsAndScopes) {
  const Reading r("{a, b}\n$l: m:\n>n: {a, ...} x <- 1\n  {} {...} {a ...} drop x\ne: {x}\n");
  EXPECT_EQ(r.version().body[0].leading.labels.size(), 3U);
  EXPECT_EQ(r.version().body[0].leading.scopes.size(), 2U);
  EXPECT_EQ(r.version().body[1].leading.scopes.size(), 3U);
  EXPECT_TRUE(r.version().body[1].leading.scopes[2].open);
  EXPECT_EQ(r.version().end.labels.size(), 1U);
  EXPECT_EQ(r.version().end.scopes.size(), 1U);
  const VersionSpans& spans = r.parsed.spans.functions[0].versions[0];
  EXPECT_EQ(spans.sigils,
            (std::vector<Sigil>{Sigil::Dollar, Sigil::Plain, Sigil::Deopt, Sigil::Plain}));
}

TEST(Parser, LabelBehindACallNamesTheNextPosition) {
  const Reading r("call x = f() L # c\nM: stop\ncall y = g() N\n");
  EXPECT_EQ(r.found(), Strings{});
  EXPECT_EQ(r.printed(), "  call x = f() # c\n>L:\n>M:\n  stop\n  call y = g()\n>N:\n");
  const VersionSpans& spans = r.parsed.spans.functions[0].versions[0];
  EXPECT_EQ(spans.sigils, (std::vector<Sigil>{Sigil::Deopt, Sigil::Plain, Sigil::Deopt}));
}

TEST(Parser, WithBlocks) {
  const std::string text =
      "assume [x] else (f, v, L) [var y = t] with { # opens\n\n"
      "  # one\n  var t = (x + 1) # two\n\n  array a[3]\n  array b = [t, a]\n"
      "  a[0] <- b[t]\n\n  # three\n\n} # four\nanchor else (f, v, L) [] with {\n}\n";
  const Reading r(text);
  EXPECT_EQ(r.found(), Strings{});
  const auto& exit = std::get<Assume>(r.instr(0)).exit;
  ASSERT_EQ(exit.with.size(), 4U);
  EXPECT_EQ(exit.with[0].comments.size(), 4U);
  EXPECT_EQ(exit.with_end.size(), 2U);
  EXPECT_EQ(r.printed(), "assume [x] else (f, v, L) [var y = t] with {\n  # opens\n\n  # one\n"
                         "  var t = (x + 1) # two\n\n  array a[3]\n  array b = [t, a]\n"
                         "  a[0] <- b[t]\n\n  # three\n} # four\nanchor else (f, v, L) []\n");
}

TEST(Parser, LinesEndInAnyWay) {
  const Reading r("\xEF\xBB\xBFprint 1\r\n\tprint 2 # c \r\nprint 3");
  EXPECT_EQ(r.found(), Strings{});
  EXPECT_EQ(r.printed(), "print 1\nprint 2 # c\nprint 3\n");
}

TEST(Parser, LiteralsOfTheInput) {
  Names names;
  const auto literal = [&names](std::string_view text) {
    const auto value = parse_literal(text, names);
    return value ? print(*value, names) : "none";
  };
  for (const std::string text : {"nil", "true", "false", "42", "-1", "1.5", "-0.25", "'f",
                                 "\"a b\"", "-9223372036854775808", "\"\\\"\\n\""})
    EXPECT_EQ(literal(text), text);
  EXPECT_EQ(literal(" \t7 \r"), "7");
  EXPECT_EQ(literal("-0"), "0");
  EXPECT_EQ(literal("-0.0"), "-0.0");
  EXPECT_EQ(literal("'is"), "'is");
  for (const std::string text : {"",
                                 "x",
                                 "1 2",
                                 "- 1",
                                 "--1",
                                 "(1)",
                                 "1 # c",
                                 "nan",
                                 "inf",
                                 "1e999",
                                 "9223372036854775808",
                                 "\"a",
                                 "'print",
                                 "' f",
                                 "[1]",
                                 "1\n2",
                                 "\"\xFF\"",
                                 "+1",
                                 "1.",
                                 "null"})
    EXPECT_EQ(literal(text), "none") << text;
}

TEST(Parser, ExpressionsAndPlacesOfFlags) {
  Names names;
  EXPECT_EQ(print(*parse_expr(" x ≠ nil ", names), names), "(x != nil)");
  EXPECT_EQ(print(*parse_expr("(x is int)", names), names), "(x is int)");
  for (const std::string_view text : {"", "x +", "x + y + z", "x y", "x\ny", "x # y", "f(x)"})
    EXPECT_FALSE(parse_expr(text, names)) << text;
  for (const std::string text : {"f.v.L", "f.v.L+3", "f.v+0", "f.v+12"})
    EXPECT_EQ(print(*parse_place(text, names), names), text);
  for (const std::string_view text : {"", "f", "f.v", "f.v.", "f.v.L+", "f.v.L+-1", "f.v.1",
                                      "f.v L", "f.v+99999999999", "f.v.print", "f.v.L+1.5"})
    EXPECT_FALSE(parse_place(text, names)) << text;
}

} // namespace
} // namespace sourir::testing
