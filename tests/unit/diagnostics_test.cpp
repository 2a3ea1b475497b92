#include "sourir/syntax/diagnostics.h"
#include "sourir/syntax/suggest.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace sourir::testing {
namespace {

using Words = std::vector<std::string_view>;

// The span of the n-th occurrence (from 0) of a word in the text.
Span find(const Source& source, std::string_view word, int n = 0) {
  std::size_t at = source.text().find(word);
  for (; n > 0; --n) at = source.text().find(word, at + 1);
  return {static_cast<std::uint32_t>(at), static_cast<std::uint32_t>(at + word.size())};
}

std::string shown(const Source& source, Span span) {
  return render({Code::OutOfScope, Severity::Error, span, "text"}, source, false);
}

TEST(CodeRows, AreInTheOrderOfTheEnumeration) {
  const auto& rows = code_rows();
  ASSERT_EQ(rows.size(), static_cast<std::size_t>(Code::ExitFromBase) + 1);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_EQ(static_cast<std::size_t>(rows[i].code), i) << rows[i].name;
    EXPECT_EQ(&row(rows[i].code), &rows[i]);
    EXPECT_EQ(find_code(rows[i].name), rows[i].code);
  }
  EXPECT_FALSE(find_code("no-such-code"));
}

TEST(CodeRows, SayWhatTheyShould) {
  std::set<std::string_view> names;
  for (const CodeRow& row : code_rows()) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_EQ(row.name.find_first_not_of("abcdefghijklmnopqrstuvwxyz-"), row.name.npos);
    EXPECT_EQ(row.title.find('\n'), row.title.npos) << row.name;
    EXPECT_GT(row.explanation.size(), row.title.size()) << row.name;
    EXPECT_TRUE(row.example.ends_with('\n')) << row.name;
    const bool warning = row.code >= Code::SigilMismatch;
    EXPECT_EQ(row.severity, warning ? Severity::Warning : Severity::Error) << row.name;
  }
}

TEST(Diagnostics, AreSortedByPlaceAndEqualOnesDropped) {
  Diagnostics problems;
  problems.add(Code::OutOfScope, {9, 10}, "late");
  problems.add(Code::UnknownLabel, {3, 5}, "wider");
  problems.add(Code::UnknownLabel, {3, 4}, "b");
  problems.add(Code::UnknownLabel, {3, 4}, "a");
  problems.add(Code::OutOfScope, {9, 10}, "late");
  std::vector<std::string> messages;
  for (const Diagnostic& d : problems.sorted()) messages.push_back(d.message);
  EXPECT_EQ(messages, (std::vector<std::string>{"b", "a", "wider", "late"}));
}

TEST(Diagnostics, PromotionMakesWarningsErrors) {
  Diagnostics problems;
  EXPECT_TRUE(problems.empty());
  problems.add(Code::PartialVarmap, {}, "before");
  problems.add(Code::SigilMismatch, {}, "other");
  EXPECT_FALSE(problems.has_errors());
  problems.promote(Code::PartialVarmap);
  EXPECT_EQ(problems.errors(), 1u);
  problems.promote(Code::PartialVarmap);
  EXPECT_EQ(problems.errors(), 1u);
  problems.add(Code::PartialVarmap, {}, "after");
  EXPECT_EQ(problems.errors(), 2u);
  for (const Diagnostic& d : problems.sorted())
    EXPECT_EQ(d.severity == Severity::Error, d.code == Code::PartialVarmap);
}

TEST(Render, ShowsTheLineTheCaretAndTheHelp) {
  const Source source("prog.sou", "L1: print 1\n\ngoto Lx\n");
  Diagnostic problem{Code::UnknownLabel, Severity::Error, find(source, "Lx"),
                     "there is no label `Lx` in version `anon` of `main`"};
  problem.help = "did you mean `L1`?\nor another one?";
  EXPECT_EQ(render(problem, source, false),
            "error[unknown-label]: there is no label `Lx` in version `anon` of `main`\n"
            "  --> prog.sou:3:6\n"
            "   |\n"
            " 3 | goto Lx\n"
            "   |      ^^\n"
            "   = help: did you mean `L1`?\n"
            "           or another one?\n");
}

TEST(Render, ShowsNotesAtTheirPlaces) {
  std::string text;
  for (int i = 1; i < 100; ++i) text += "print " + std::to_string(i) + "\n";
  const Source source("prog.sou", text + "x <- y\n");
  Diagnostic problem{Code::PartialVarmap, Severity::Warning, find(source, "y"), "careful"};
  problem.notes.push_back({find(source, "print 7"), "seven"});
  problem.notes.push_back({find(source, "y"), "the same place"});
  EXPECT_EQ(render(problem, source, false), "warning[partial-varmap]: careful\n"
                                            "    --> prog.sou:100:6\n"
                                            "     |\n"
                                            " 100 | x <- y\n"
                                            "     |      ^\n"
                                            "     = note: the same place\n"
                                            "note: seven\n"
                                            "    --> prog.sou:7:1\n"
                                            "     |\n"
                                            "   7 | print 7\n"
                                            "     | -------\n");
}

TEST(Render, PutsTheCaretRightBehindTabsAndWideCharacters) {
  const Source tabs("f", "\t\tprint x\n");
  EXPECT_EQ(shown(tabs, find(tabs, "x")), "error[out-of-scope]: text\n"
                                          "  --> f:1:9\n"
                                          "   |\n"
                                          " 1 |   print x\n"
                                          "   |         ^\n");
  const Source accents("f", "print \"\u00e4\u4f60e\u0301\" x\n"); // one, two and one columns wide
  EXPECT_EQ(shown(accents, find(accents, "x")), "error[out-of-scope]: text\n"
                                                "  --> f:1:14\n"
                                                "   |\n"
                                                " 1 | print \"\u00e4\u4f60e\u0301\" x\n"
                                                "   |              ^\n");
  EXPECT_NE(shown(accents, find(accents, "\u4f60")).find("\n   |         ^^\n"), std::string::npos);
}

TEST(Render, EscapesWhatIsNotText) {
  const Source source("a\nb", std::string("print \"\x1b[31m\xff\xe2\x80\xae\0\" x\r\n", 22));
  const std::string text = shown(source, find(source, "x"));
  EXPECT_NE(text.find("--> a\\x0ab:1:"), std::string::npos) << text;
  EXPECT_NE(text.find(" 1 | print \"\\x1b[31m\\xff\\u{202e}\\x00\" x\n"), std::string::npos)
      << text;
  EXPECT_NE(text.find("\n   | " + std::string(33, ' ') + "^\n"), std::string::npos) << text;
  const Source plain("f", "x");
  EXPECT_EQ(render({Code::Syntax, Severity::Error, {0, 1}, "a\nb\x07\xc3"}, plain, false),
            "error[syntax]: a\\x0ab\\x07\\xc3\n  --> f:1:1\n   |\n 1 | x\n   | ^\n");
}

TEST(Render, CutsLongLinesAroundTheCaret) {
  const std::string filler(300, 'a');
  const Source source("f", "print " + filler + " xyz " + filler + "\n");
  EXPECT_EQ(shown(source, find(source, "xyz")), "error[out-of-scope]: text\n"
                                                "  --> f:1:308\n"
                                                "   |\n"
                                                " 1 | ..." +
                                                    std::string(59, 'a') + " xyz " +
                                                    std::string(93, 'a') +
                                                    "...\n"
                                                    "   | " +
                                                    std::string(63, ' ') + "^^^\n");
  const std::string beginning = shown(source, find(source, "print"));
  EXPECT_NE(beginning.find(" 1 | print aaa"), std::string::npos);
  const std::string whole = shown(source, {0, static_cast<std::uint32_t>(source.text().size())});
  EXPECT_NE(whole.find("\n   | " + std::string(160, '^') + "\n"), std::string::npos);
  const Source bytes("f", std::string(5000, '\x80') + " x");
  EXPECT_LT(shown(bytes, find(bytes, "x")).size(), 2000u);
}

TEST(Render, BearsPlacesThatAreNotThere) {
  const Source empty("f", "");
  EXPECT_EQ(shown(empty, {}), "error[out-of-scope]: text\n  --> f:1:1\n");
  const Source source("f", "a\nbc\n");
  EXPECT_NE(shown(source, {700, 900}).find("--> f:3:1\n   |\n 3 |\n   | ^\n"), std::string::npos);
  EXPECT_NE(shown(source, {2, 1}).find(" 2 | bc\n   | ^\n"), std::string::npos);
  // Over several lines: up to the end of the first.
  EXPECT_NE(shown(source, {0, 4}).find(" 1 | a\n   | ^\n"), std::string::npos);
  // At the end of a line.
  EXPECT_NE(shown(source, {4, 4}).find(" 2 | bc\n   |   ^\n"), std::string::npos);
}

TEST(Render, ColoursOnlyWhenAsked) {
  const Source source("f", "x\n");
  Diagnostic problem{Code::OutOfScope, Severity::Error, {0, 1}, "text"};
  problem.help = "help";
  EXPECT_EQ(render(problem, source, false).find('\033'), std::string::npos);
  const std::string coloured = render(problem, source, true);
  EXPECT_TRUE(coloured.starts_with("\033[1;31merror[out-of-scope]\033[0m\033[1m: text\033[0m\n"));
  // Without the sequences it is the same text.
  std::string plain;
  for (std::size_t i = 0; i < coloured.size(); ++i) {
    if (coloured[i] == '\033')
      i = coloured.find('m', i);
    else
      plain += coloured[i];
  }
  EXPECT_EQ(plain, render(problem, source, false));
}

TEST(DiagnosticsJson, HoldsEverything) {
  const Source source("a.sou", "print 1\nprint x\n"), other("b.sou", "");
  Diagnostic problem{Code::OutOfScope, Severity::Error, find(source, "x"), "no `x`"};
  problem.notes.push_back({{0, 9}, "note"});
  problem.help = "help";
  const auto json = nlohmann::json::parse(diagnostics_json({{&source, {problem}}, {&other, {}}}));
  EXPECT_EQ(json, nlohmann::json::parse(R"({"format": "diagnostics", "version": 1, "files": [
    {"file": "a.sou", "diagnostics": [
      {"code": "out-of-scope", "severity": "error", "message": "no `x`",
       "line": 2, "column": 7, "end_line": 2, "end_column": 8,
       "notes": [{"text": "note", "line": 1, "column": 1, "end_line": 2, "end_column": 2}],
       "help": "help"}]},
    {"file": "b.sou", "diagnostics": []}]})"));
}

TEST(DiagnosticsJson, BearsWhatIsNotUtf8) {
  const Source source("\xff.sou", "\xff");
  const std::string text =
      diagnostics_json({{&source, {{Code::BadEncoding, Severity::Error, {0, 1}, "byte \xff"}}}});
  const auto json = nlohmann::json::parse(text);
  EXPECT_EQ(json["files"][0]["file"], "\ufffd.sou");
  EXPECT_EQ(json["files"][0]["diagnostics"][0]["message"], "byte \ufffd");
}

TEST(Closest, FindsWhatIsMeant) {
  EXPECT_EQ(closest("cuont", {"amount", "count", "counter"}), "count");
  EXPECT_EQ(closest("L1", {"L2", "M9"}), "L2");
  EXPECT_EQ(closest("Loop", {"Load", "loop"}), "loop");
  EXPECT_EQ(closest("lop", {"pol", "loop", "lip"}), "loop");
  EXPECT_EQ(closest("bas", {"base"}), "base");
}

TEST(Closest, KeepsQuietWhereNothingIsNear) {
  EXPECT_EQ(closest("x", {"y", "z"}), std::nullopt);
  EXPECT_EQ(closest("fibonacci", {"factorial"}), std::nullopt);
  EXPECT_EQ(closest("", {"a"}), std::nullopt);
  EXPECT_EQ(closest("same", {"same"}), std::nullopt);
  EXPECT_EQ(closest("abc", {}), std::nullopt);
  EXPECT_EQ(closest(std::string(100, 'a'), {std::string_view("aaa")}), std::nullopt);
}

TEST(Closest, IsBoundedInItsWork) {
  std::vector<std::string> texts;
  for (int i = 0; i < 200'000; ++i) texts.push_back("label" + std::to_string(i));
  const Words known(texts.begin(), texts.end());
  EXPECT_TRUE(closest("label7x", known));
}

} // namespace
} // namespace sourir::testing
