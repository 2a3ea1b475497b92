#include "tests/unit/reading.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

// The problem of a single line: code, the text it points at, message, help.
struct Problem {
  std::string code, place, message, help;
};

Problem problem(const std::string& line) {
  const Reading r(line);
  const auto all = r.problems.sorted();
  EXPECT_EQ(all.size(), 1U) << line;
  if (all.empty()) return {};
  return {std::string(row(all[0].code).name), r.at(all[0].span), all[0].message, all[0].help};
}

TEST(ParseErrors, SayWhatWasExpectedAndFound) {
  EXPECT_EQ(problem("x[1").message, "expected `]` after the index, found the end of the line");
  EXPECT_EQ(problem("x[1)").message, "expected `]` after the index, found `)`");
  EXPECT_EQ(problem("print").message,
            "expected an expression after `print`, found the end of the line");
  EXPECT_EQ(problem("goto 3").message, "expected a label after `goto`, found `3`");
  EXPECT_EQ(problem("drop x y").message,
            "expected the end of the line after the instruction, found `y`");
  EXPECT_EQ(problem("assume [x] (f, v, L) []").message,
            "expected `else` after the guards, found `(`");
  EXPECT_EQ(problem("L: else").message, "expected an instruction, found `else`");
  EXPECT_EQ(problem("$3:").message, "expected a label, found `3`");
  EXPECT_EQ(problem("> L 3").message, "expected `:` after the label, found `3`");
  EXPECT_EQ(problem("{a; b} stop").message, "unexpected character `;`");
  EXPECT_EQ(problem("print (x + y").message,
            "expected `)` after the expression, found the end of the line");
  EXPECT_EQ(problem("branch x $a").message,
            "expected a second label, for the false case, found the end of the line");
  EXPECT_EQ(problem("print ' f").help, "write `'f`");
}

TEST(ParseErrors, HelpWhereTheyCan) {
  EXPECT_EQ(problem("brnach x $a $b").help, "did you mean `branch`?");
  EXPECT_EQ(problem("retrun 1").help, "did you mean `return`?");
  EXPECT_EQ(problem("pint x").place, "pint");
  EXPECT_EQ(problem("anchor elsa f.v.L []").message,
            "expected `else` after `anchor`, found `elsa`");
  EXPECT_EQ(problem("x = 3").help, "write `x <- ...` to assign, `var x = ...` to declare");
  EXPECT_EQ(problem("call f(x)").help, "a call names its result: `call x = 'f(...)`");
  EXPECT_EQ(problem("var x <- 3").help, "a declaration has `=`, an assignment `<-`");
  EXPECT_EQ(problem("print x<-1").help,
            "`<-` assigns; for a comparison with a negative number write `< -`");
  EXPECT_EQ(problem("print x is int").help, "a type test needs its parentheses: `(x is int)`");
  EXPECT_EQ(problem("print (x is number)").help,
            "the types are nil, bool, int, float, string, fun and array; of all elements int[], "
            "float[] and bool[]");
  EXPECT_EQ(problem("assume x else f.v.L [x]").help, "each variable gets a value: `x = e`");
  EXPECT_EQ(problem("assume x else f.v.L [x = $]").help,
            "only the first variable of an outer frame receives the result; the innermost frame "
            "comes first, without a result");
  EXPECT_EQ(problem("assume x else f.v.L [], f.v.L [x = 1]").message,
            "expected `$` after `=`, found `1`");
}

TEST(ParseErrors, NameWhatCannotBeSeen) {
  EXPECT_EQ(problem("print\u00A01").message, "unexpected character U+00A0");
  EXPECT_EQ(problem("print \u200B1").message, "unexpected character U+200B");
  EXPECT_EQ(problem("print\u00A01").help,
            "it looks like a blank or like nothing; type a blank instead");
}

TEST(ParseErrors, Literals) {
  EXPECT_EQ(problem("print 9223372036854775808").code, "bad-integer");
  EXPECT_EQ(problem("print -9223372036854775809").place, "-9223372036854775809");
  EXPECT_EQ(problem("print 1e309").code, "bad-float");
  EXPECT_EQ(problem("print \"abc").code, "bad-string");
  EXPECT_EQ(problem("print \"abc").place, "\"abc");
  EXPECT_EQ(problem("print 12ab").code, "syntax");
  EXPECT_EQ(problem("print 12ab").place, "12ab");
  EXPECT_EQ(problem("print x & y").message, "there is no operator `&`, only `&&`");
}

TEST(ParseErrors, ReservedWords) {
  for (const std::string line :
       {"var print", "print else", "print 'stop", "drop true", "goto var", "call array = f()",
        "function goto()", "version read", "$else:", "{nil}", "assume x else (f, v, stop) []",
        "function f(var length)"})
    EXPECT_EQ(problem(line == "version read" ? "function f()\n" + line : line).code,
              "reserved-word")
        << line;
  EXPECT_EQ(problem("drop print").message,
            "expected a variable after `drop`, but `print` is a reserved word");
}

TEST(ParseErrors, NestedExpressionsShowTheTemporaries) {
  const auto help = [](const std::string& line) {
    const Problem found = problem(line);
    EXPECT_EQ(found.code, "nested-expression") << line;
    return found.help;
  };
  EXPECT_EQ(help("x <- ((a * b) + c)"), "introduce a temporary: `var t = (a * b)`, then `(t + c)`");
  EXPECT_EQ(help("x <- a + b + c"), "introduce a temporary: `var t = (a + b)`, then `(t + c)`");
  EXPECT_EQ(help("x <- a + b * c"), "introduce a temporary: `var t = (b * c)`, then `(a + t)`");
  EXPECT_EQ(help("print !(a = b)"), "introduce a temporary: `var t = (a == b)`, then `(!t)`");
  EXPECT_EQ(help("print a[i + 1]"), "introduce a temporary: `var t = (i + 1)`, then `a[t]`");
  EXPECT_EQ(help("print length(a[0]) # c"),
            "introduce a temporary: `var t = a[0]`, then `length(t)`");
  EXPECT_EQ(help("print a[0][1]"), "introduce a temporary: `var t = a[0]`, then `t[1]`");
  EXPECT_EQ(help("return f(x)"), "introduce a temporary: `call t = 'f(x)`, then `t`");
  EXPECT_EQ(help("return ('f(x - 1) * x)"),
            "introduce a temporary: `call t = 'f((x - 1))`, then `(t * x)`");
  EXPECT_EQ(help("branch (a < b) && (c < d) $x $y"),
            "introduce temporaries: `var t = (a < b)`, `var t2 = (c < d)`, then `(t && t2)`");
  EXPECT_EQ(help("x <- (- (- 1))"), "introduce a temporary: `var t = (- 1)`, then `(-t)`");
  EXPECT_EQ(help("x <- !!a"), "introduce a temporary: `var t = (!a)`, then `(!t)`");
  EXPECT_EQ(help("print ((x is int) && y)"),
            "introduce a temporary: `var t = (x is int)`, then `(t && y)`");
  EXPECT_EQ(help("print (0 < x < 3)"),
            "introduce temporaries: `var t = (0 < x)`, `var t2 = (x < 3)`, then `(t && t2)`");
  EXPECT_EQ(help("print a <= b == true"),
            "introduce a temporary: `var t = (a <= b)`, then `(t == true)`");
  EXPECT_EQ(help("print a < b + 1 <= 9 < c"),
            "introduce temporaries: `var t = (b + 1)`, `var t2 = (a < t)`, `var t3 = (t <= 9)`, "
            "`var t4 = (t2 && t3)`, `var t5 = (9 < c)`, then `(t4 && t5)`");
  EXPECT_EQ(problem("x <- (a + b * c)").place, "(a + b * c)");
  EXPECT_EQ(problem("assume [x, a + b + c] else f.v.L []").place, "a + b + c");
}

TEST(ParseErrors, EachLineRecovers) {
  const Reading r("x <- \n  y <- 1\nfunction (\nprnt z\nversion\n  stop 1 2\nL:: stop\nstop\n");
  EXPECT_EQ(r.found(), (Strings{"1:6 syntax", "3:10 syntax", "4:1 syntax", "5:1 syntax",
                                "5:8 syntax", "6:10 syntax", "7:3 syntax"}));
}

TEST(ParseErrors, WithBlocksRecoverInside) {
  const Reading r("assume [x] else (f, v, L) [] with {\n  var\n  print 1\n  array a[0]\n  x <- 2\n"
                  "  L: var y\n  {x}\n  assume [] else (f, v, L) [] with {\n    var z\n  }\n"
                  "  var q = \n}\nprint\n");
  EXPECT_EQ(r.found(), (Strings{"2:6 syntax", "3:3 bad-deferred", "5:3 bad-deferred", "6:3 syntax",
                                "7:3 syntax", "8:3 bad-deferred", "11:11 syntax", "13:6 syntax"}));
}

TEST(ParseErrors, AFailedAssumeTakesItsBlockAlong) {
  const Reading r("assume [x else (f, v, L) [] with { # c\n  var t = 1\n  var u = \n}\nprint\n"
                  "anchor els f.v.L with {\n}\nprint\n");
  EXPECT_EQ(r.found(), (Strings{"1:11 syntax", "5:6 syntax", "6:8 syntax", "8:6 syntax"}));
}

TEST(ParseErrors, BlocksMustBeClosed) {
  const Reading r("assume [] else (f, v, L) [] with {\n  var x\n\nfunction f()\n  print\n");
  EXPECT_EQ(r.found(), (Strings{"1:34 syntax", "5:8 syntax"}));
  EXPECT_EQ(r.parsed.program.functions.size(), 2U);
  EXPECT_EQ(Reading("assume [] else (f, v, L) [] with {").found(), (Strings{"1:34 syntax"}));
  EXPECT_EQ(Reading("assume [] else (f, v, L) [] with { # c\n").found(), (Strings{"1:34 syntax"}));
  EXPECT_EQ(Reading("assume [] else (f, v, L) [] with { var x }\n").found(),
            (Strings{"1:36 syntax"}));
  EXPECT_EQ(Reading("}\n").found(), (Strings{"1:1 syntax"}));
}

TEST(ParseErrors, HeadersInWrongPlaces) {
  EXPECT_EQ(Reading("version v\n  stop\n").found(), (Strings{"1:1 syntax"}));
  EXPECT_EQ(Reading("stop\nversion v\n  stop\n").found(), (Strings{"2:1 syntax"}));
  EXPECT_EQ(Reading("function f()\n  stop\nversion v\n  stop\n").found(), (Strings{"3:1 syntax"}));
  EXPECT_EQ(Reading("L: function f()\n").found(), (Strings{"1:4 syntax"}));
  EXPECT_EQ(Reading("function f()\nversion v when []\n").found(), (Strings{"2:17 syntax"}));
}

TEST(ParseErrors, BytesThatAreNotUtf8) {
  const Reading r("print 1\nprint \"\xFF\"\n# \x80 \x80\nprint 2\n\xC3\n");
  EXPECT_EQ(r.found(), (Strings{"2:8 bad-encoding", "3:3 bad-encoding", "5:1 bad-encoding"}));
  EXPECT_EQ(r.version().body.size(), 2U);
}

TEST(ParseErrors, Sigils) {
  const auto warnings = [](const std::string& body) { return Reading(body).found(); };
  EXPECT_EQ(warnings("branch x $a $b\n$a: stop\n$b: stop\n"), Strings{});
  EXPECT_EQ(warnings("branch x a b\na: stop\nb: stop\n"), Strings{});
  EXPECT_EQ(warnings("branch x $a $b\na: stop\n>b: stop\n"),
            (Strings{"2:1 sigil-mismatch", "3:2 sigil-mismatch"}));
  EXPECT_EQ(warnings("goto a\na: stop\n"), Strings{});
  EXPECT_EQ(warnings("goto a\n$a: goto b\n>b: stop\n"),
            (Strings{"2:2 sigil-mismatch", "3:2 sigil-mismatch"}));
  EXPECT_EQ(warnings("a: stop\n>b: stop\n$c: stop\n"), (Strings{"3:2 sigil-mismatch"}));
  EXPECT_EQ(warnings("branch x $a $b\na: goto b\n$b: goto a\n"), Strings{});
  EXPECT_EQ(warnings("branch x $a $a\n>a: goto a\n"), (Strings{"2:2 sigil-mismatch"}));
  // Labels of one version say nothing about another; a faulty version is left alone.
  EXPECT_EQ(warnings("goto a\na: stop\nfunction f()\n$a: stop\n"), (Strings{"4:2 sigil-mismatch"}));
  EXPECT_EQ(warnings("goto\n$a: stop\n"), (Strings{"1:5 syntax"}));
  EXPECT_FALSE(Reading("$c: stop\n").problems.has_errors());
}

// Sizes that would overflow a stack or take quadratic time.
TEST(ParseErrors, LargeThingsAreReadOrRefused) {
  const std::size_t n = 1'000'000;
  const std::string open(n, '('), closed(n, ')');
  EXPECT_EQ(Reading("print " + open + "x" + closed + "\n").printed(), "print x\n");
  EXPECT_EQ(Reading("print " + open + "\n").found().size(), 1U);
  EXPECT_EQ(Reading("print (a + " + open + "x" + closed + ")\n").printed(), "print (a + x)\n");
  EXPECT_EQ(Reading("print " + std::string(n, '-') + "x\n").found().size(), 1U);
  EXPECT_EQ(Reading("print " + std::string(n, '!') + "x\n").found().size(), 1U);
  EXPECT_EQ(Reading(std::string(n, '[') + "\n").found().size(), 1U);
  EXPECT_EQ(Reading("x" + std::string(n, '[') + "\n").found().size(), 1U);
  std::string sum = "print x", labels, comments = "stop\n", blocks;
  for (std::size_t i = 0; i < n / 10; ++i) {
    sum += " + x";
    labels += "a: # c\n# d\n";
    blocks += "assume [] else (f, v, L) [] with {\n";
  }
  EXPECT_EQ(Reading(sum).found(), (Strings{"1:7 nested-expression"}));
  const Reading many(labels + "stop\n");
  EXPECT_EQ(many.version().body[0].leading.labels.size(), n / 10);
  EXPECT_EQ(Reading(many.printed(), many.names).parsed.program, many.parsed.program);
  EXPECT_GE(Reading(blocks).found().size(), 1U);
  EXPECT_EQ(Reading("print \"" + std::string(n, 'a') + "\"").printed().size(), n + 9);
  EXPECT_EQ(Reading("print " + std::string(n, '9')).found(), (Strings{"1:7 bad-integer"}));
  EXPECT_EQ(Reading(std::string(n, '\n')).found(), Strings{});
  EXPECT_EQ(Reading([] {
              std::string text;
              for (int i = 0; i < 150'000; ++i) text += "%\n";
              return text;
            }())
                .found()
                .size(),
            100'001U); // the last one says that the rest was not looked at
}

} // namespace
} // namespace sourir::testing
