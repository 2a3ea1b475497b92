#include "sourir/syntax/traverse.h"
#include "tests/unit/random_program.h"
#include "tests/unit/reading.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

constexpr std::uint32_t kPrograms = 3000;

void expect_same(const Program& program, const std::shared_ptr<Names>& names, Notation notation,
                 std::uint32_t seed) {
  const std::string text = print(program, *names, notation);
  const Reading again(text, names);
  EXPECT_FALSE(again.problems.has_errors()) << "seed " << seed << "\n" << text;
  EXPECT_EQ(again.parsed.program == program, true) << "seed " << seed << "\n" << text;
  EXPECT_EQ(again.printed(notation), text) << "seed " << seed;
}

TEST(Printer, RandomProgramsReadBackInBothNotations) {
  for (std::uint32_t seed = 0; seed < kPrograms && !::testing::Test::HasFailure(); ++seed) {
    const auto names = std::make_shared<Names>();
    const Program program = RandomProgram(seed, *names).program();
    expect_same(program, names, Notation::Prototype, seed);
    expect_same(program, names, Notation::Paper, seed);
  }
}

// What the printer writes gives no warning either.
TEST(Printer, SigilsFollowFromUse) {
  for (std::uint32_t seed = 0; seed < 300; ++seed) {
    const auto names = std::make_shared<Names>();
    const Program program = RandomProgram(seed, *names).program();
    for (const Notation notation : {Notation::Prototype, Notation::Paper}) {
      const Reading again(print(program, *names, notation), names);
      EXPECT_EQ(again.found(), Strings{}) << again.source.text();
    }
  }
}

// Every name of a program stands where its span says.
void expect_spans(const Reading& r) {
  const auto is_at = [&r](std::uint32_t id, Span span) {
    EXPECT_EQ(r.at(span), r.names->text(Var{id})) << r.source.text();
  };
  const Program& program = r.parsed.program;
  ASSERT_EQ(program.functions.size(), r.parsed.spans.functions.size());
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const Function& function = program.functions[f];
    const FunctionSpans& spans = r.parsed.spans.functions[f];
    if (!function.implicit) is_at(function.name.id, spans.name);
    ASSERT_EQ(function.params.size(), spans.params.size());
    for (std::size_t p = 0; p < function.params.size(); ++p)
      is_at(function.params[p].id, spans.params[p]);
    ASSERT_EQ(function.versions.size(), spans.versions.size());
    for (std::size_t v = 0; v < function.versions.size(); ++v) {
      const Version& version = function.versions[v];
      const VersionSpans& at = spans.versions[v];
      std::vector<std::uint32_t> header;
      if (version.cont) header.push_back(version.cont->entry.id);
      if (version.cont)
        for (const Var x : version.cont->names) header.push_back(x.id);
      for (const Expr& e : version.when)
        for_each_name(e, NameRole::Use, NameRole::FunRef,
                      [&](const NameUse& use) { header.push_back(use.id); });
      ASSERT_EQ(header.size(), at.header.size());
      for (std::size_t n = 0; n < header.size(); ++n) is_at(header[n], at.header[n]);
      ASSERT_EQ(version.body.size() + 1, at.stmts.size());
      std::size_t next = 0, labels = 0;
      for (std::size_t s = 0; s <= version.body.size(); ++s) {
        const LeadingTrivia& leading =
            s < version.body.size() ? version.body[s].leading : version.end;
        ASSERT_EQ(at.stmts[s].first, next);
        labels += leading.labels.size();
        for (const Label label : leading.labels) is_at(label.id, at.names[next++]);
        for (std::size_t n = 0; n < leading.scopes.size(); ++n) {
          EXPECT_EQ(r.at(at.names[next]).front(), '{');
          EXPECT_EQ(r.at(at.names[next++]).back(), '}');
        }
        if (s == version.body.size()) break;
        for_each_name(version.body[s].instr,
                      [&](const NameUse& use) { is_at(use.id, at.names.at(next++)); });
      }
      EXPECT_EQ(next, at.names.size());
      EXPECT_EQ(labels, at.sigils.size());
    }
  }
}

TEST(Printer, EachNameStandsWhereItsSpanSays) {
  for (std::uint32_t seed = 0; seed < 500 && !::testing::Test::HasFailure(); ++seed) {
    const auto names = std::make_shared<Names>();
    const Program program = RandomProgram(seed, *names).program();
    for (const Notation notation : {Notation::Prototype, Notation::Paper})
      expect_spans(Reading(print(program, *names, notation), names));
  }
  expect_spans(
      Reading("$a: {b} call b = f(c) d\n>e: assume b, c else f.v.L [x = y] g.w.M r [z = 'h]"
              " with {\narray q[b]\n}\nprint 'g"));
}

TEST(Printer, InstructionsStandWhereTheirSpansSay) {
  const Reading r(
      "L: var x = 1 # c\nassume [] else (f, v, L) [] with { # c\n  var y\n  } # d\nM:\n");
  const VersionSpans& spans = r.parsed.spans.functions[0].versions[0];
  EXPECT_EQ(r.at(spans.name), "L: var x = 1");
  EXPECT_EQ(r.at(spans.stmts[0].instr), "var x = 1");
  EXPECT_EQ(r.at(spans.stmts[1].instr), "assume [] else (f, v, L) [] with { # c\n  var y\n  }");
  EXPECT_EQ(spans.stmts[2].instr.begin, spans.stmts[1].instr.end);
  EXPECT_EQ(spans.stmts[2].instr.end, spans.stmts[1].instr.end);
}

TEST(Printer, CommentsStayInPlace) {
  const std::string text =
      "# file\n\n#\n# more\nfunction main() # main\n\n# v\nversion v # header\n"
      "  # first\n  print 1 # one\n\n# label\n>L: # at L\n  # two\n  print 2\n"
      "  # three\n  stop\n>M:\n# after M\n\nfunction f()\n  stop\n# end\n";
  EXPECT_EQ(Reading(text).printed(), text);
}

TEST(Printer, BlankLinesCollapse) {
  const Reading r("\n\nfunction f()\n\n\n  # a\n\n\n\n  stop\n\n\n\nfunction g()\n\n  stop\n\n\n");
  EXPECT_EQ(r.printed(), "function f()\n  # a\n\n  stop\n\nfunction g()\n  stop\n");
}

TEST(Printer, PaperNotation) {
  const Reading r(
      "# main\nprint (1 + 2)\nfunction size(var x)\nversion V1\n"
      "  branch (x == nil) $L4 $other\n$L4: # four\n  {x} x <- (- 1)\n$other:\n"
      "  assume [(x != 1), (x is int)] else (size, V1, cp) [var x = x], "
      "(main, anon, L) [var r = $, var z = (x * 2)] with {\n    array a[(x + 1)]\n  }\n"
      ">cp:\n>a_very_long_label_indeed:\n  assume [] else (size, V1, cp) [var x = (!x)]\n"
      "  assume [true] else (size, V1, cp) []\n  call y = (x + 1)(x)\n  stop\n");
  EXPECT_EQ(
      r.printed(Notation::Paper),
      "# main\nprint 1 + 2\nfunction size(x)\nversion V1\n       branch x == nil L4 other\n"
      "L4: # four\n       {x} x ← - 1\n"
      "other: assume x ≠ 1, (x is int) else size.V1.cp [x = x] main.anon.L r [z = x * 2] with {\n"
      "         array a[x + 1]\n       }\n"
      "cp:\na_very_long_label_indeed:\n       assume true else size.V1.cp [x = ¬x]\n"
      "       assume [true] else size.V1.cp []\n       call y = (x + 1)(x)\n       stop\n");
}

TEST(Printer, LeadingLinesNeedNoIndentation) {
  EXPECT_EQ(Reading("  # c\n  print 1\n  # d\n").printed(), "# c\nprint 1\n# d\n");
  EXPECT_EQ(Reading("# c\nprint 1\nL:\ngoto L\n").printed(), "# c\n  print 1\nL:\n  goto L\n");
  EXPECT_EQ(Reading("function main()\nversion anon\nstop\n").printed(),
            "function main()\n  stop\n");
  EXPECT_EQ(Reading("function f()\n").printed(), "function f()\n");
}

// Programs that no text reads as still print as one that does.
TEST(Printer, OddProgramsPrintReadably) {
  const auto names = std::make_shared<Names>();
  Reading r("print 1\nprint 2\nfunction f()\n  stop\n", names);
  Program program = r.parsed.program;
  Stmt& stmt = program.functions[0].versions[0].body[0];
  stmt.leading.comments = {
      {9, false, "c\nd  "}, {0, true, ""}, {0, true, "a"}, {0, true, ""}, {0, true, ""}};
  program.functions[1].versions[0].end.comments = {{0, true, ""}, {0, false, "e"}, {0, true, ""}};
  std::swap(program.functions[0], program.functions[1]);
  EXPECT_EQ(print(program, *names), "function f()\n  stop\n\n#e\nfunction main()\n  #a\n\n"
                                    "  print 1 #c d\n  print 2\n");
  EXPECT_EQ(print(Program{}, *names), "");
  program.functions[0].versions.clear();
  EXPECT_NE(print(program, *names), "");
}

TEST(Printer, PlacesAndUnknowns) {
  Names names;
  const auto place = [&](std::optional<Label> label, std::uint32_t offset) {
    return Place{names.intern<FunName>("f"), names.intern<VerName>("v"), label, offset};
  };
  const Label l = names.intern<Label>("L");
  EXPECT_EQ(print(place(l, 0), names), "f.v.L");
  EXPECT_EQ(print(place(l, 2), names), "f.v.L+2");
  EXPECT_EQ(print(place({}, 0), names), "f.v+0");
  Metadata exit;
  exit.frame = {place(l, 1), {}, {names.intern<Var>("x")}};
  exit.outer = {{place({}, 4), names.intern<Var>("r"), {}, {names.intern<Var>("y")}}};
  EXPECT_EQ(print(exit, names), "(f, v, L+1) [var x = ?], (f, v, +4) [var r = $, var y = ?]");
  EXPECT_EQ(print(exit, names, Notation::Paper), "f.v.L+1 [x = ?] f.v+4 r [y = ?]");
}

TEST(Printer, Floats) {
  EXPECT_EQ(print_float(1.5), "1.5");
  EXPECT_EQ(print_float(1), "1.0");
  EXPECT_EQ(print_float(-0.0), "-0.0");
  EXPECT_EQ(print_float(100000), "100000.0");
  EXPECT_EQ(print_float(1e22), "1e+22");
  EXPECT_EQ(print_float(5e-324), "5e-324");
  EXPECT_EQ(print_float(1.0 / 3), "0.3333333333333333");
  EXPECT_EQ(print_float(std::numeric_limits<double>::infinity()), "inf");
  EXPECT_EQ(print_float(-std::numeric_limits<double>::infinity()), "-inf");
  EXPECT_EQ(print_float(-std::numeric_limits<double>::quiet_NaN()), "nan");
}

} // namespace
} // namespace sourir::testing
