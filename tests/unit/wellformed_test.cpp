#include "sourir/syntax/wellformed.h"

#include "sourir/analysis/warnings.h"
#include "sourir/syntax/json/load.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>

namespace sourir::testing {
namespace {

namespace fs = std::filesystem;
using Reports = std::map<std::uint32_t, std::set<std::string>>; // line -> "error: code"

const fs::path kFileTests = SOURIR_SOURCE_DIR "/tests/filetests/check";

std::string read(const fs::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<fs::path> file_tests() {
  std::vector<fs::path> result;
  for (const auto& file : fs::directory_iterator(kFileTests))
    if (file.path().extension() == ".sou") result.push_back(file.path());
  std::sort(result.begin(), result.end());
  return result;
}

// As `sourir check` does, with its flags.
Loaded check(const std::string& text, Names& names, bool normal_form = false, bool strict = false) {
  Loaded loaded = load("test.sou", text, names, {.strict = strict});
  if (normal_form && !loaded.problems.has_errors())
    check_normal_form(loaded.program, loaded.spans, names, loaded.problems);
  if (!loaded.problems.has_errors())
    add_warnings(loaded.program, loaded.spans, names, loaded.problems);
  return loaded;
}

bool has(const Diagnostics& problems, Code code) {
  const auto all = problems.sorted();
  return std::any_of(all.begin(), all.end(), [=](const Diagnostic& d) { return d.code == code; });
}

bool is_normal_form(Code code) {
  return code >= Code::NormalMixedLabel && code <= Code::NormalDeclaredTwice;
}

std::string all_of(const Loaded& loaded) {
  std::string text;
  for (const Diagnostic& d : loaded.problems.sorted()) text += render(d, loaded.source, false);
  return text;
}

// --- examples of the table, file tests ---------------------------------------------------------

TEST(Wellformed, EachExampleHasItsProblemAndNoOther) {
  for (const CodeRow& row : code_rows()) {
    Names names;
    const std::string example(row.example);
    const Loaded loaded = row.code == Code::TooLarge
                              ? load("test.sou", example, names, {.max_bytes = 4})
                              : check(example, names, is_normal_form(row.code));
    EXPECT_TRUE(has(loaded.problems, row.code)) << row.name << "\n" << all_of(loaded);
    for (const Diagnostic& d : loaded.problems.sorted())
      if (d.severity == Severity::Error) {
        EXPECT_EQ(d.code, row.code) << all_of(loaded);
      }
  }
}

// But for too-large: a file test has no flag for the limit.
TEST(Wellformed, EachCodeHasAFileTest) {
  for (const CodeRow& row : code_rows()) {
    const std::string name(row.name);
    const bool found =
        fs::exists(kFileTests / (name + ".sou")) || fs::exists(kFileTests / (name + ".sou.json"));
    EXPECT_EQ(found, row.code != Code::TooLarge) << name;
  }
}

// What "# error: CODE ..." and "# warning@+1: CODE ..." say; the form of file tests.
Reports expected(const std::string& text) {
  Reports result;
  std::istringstream lines(text);
  std::string line;
  for (int number = 1; std::getline(lines, line) && !line.starts_with("# ---"); ++number)
    for (const std::string severity : {"error", "warning"})
      for (auto at = line.find("# " + severity); at != line.npos;
           at = line.find("# " + severity, at + 1)) {
        std::string rest = line.substr(at + 2 + severity.size());
        int place = number;
        if (rest[0] == '@') {
          std::size_t digits = 0;
          const int offset = std::stoi(rest.substr(1), &digits);
          place = rest[1] == '+' || rest[1] == '-' ? number + offset : offset;
          rest = rest.substr(1 + digits);
        }
        std::istringstream codes(rest.substr(1, rest.find('#') - 1));
        for (std::string code; codes >> code;)
          result[static_cast<std::uint32_t>(place)].insert(severity + ": " + code);
      }
  return result;
}

Reports found(const Loaded& loaded) {
  Reports result;
  for (const Diagnostic& d : loaded.problems.sorted())
    result[loaded.source.position(d.span.begin).line].insert(
        (d.severity == Severity::Error ? "error: " : "warning: ") + std::string(row(d.code).name));
  return result;
}

TEST(Wellformed, FileTestsHaveTheProblemsTheyExpect) {
  for (const fs::path& path : file_tests()) {
    const std::string text = read(path);
    const bool normal = text.find("check --normal-form") != text.npos;
    const bool strict = text.find("check --strict") != text.npos;
    Names names;
    const Loaded loaded = check(text, names, normal, strict);
    EXPECT_EQ(found(loaded), expected(text)) << path << "\n" << all_of(loaded);
  }
}

// --- messages ----------------------------------------------------------------------------------

std::string messages(const std::string& text) {
  Names names;
  const Loaded loaded = check(text, names);
  std::string result;
  for (const Diagnostic& d : loaded.problems.sorted()) {
    result += d.message + "\n";
    for (const Note& note : d.notes)
      result += "  " + std::to_string(loaded.source.position(note.span.begin).line) + ": " +
                note.text + "\n";
    if (!d.help.empty()) result += "  = " + d.help + "\n";
  }
  return result;
}

TEST(Wellformed, AScopeMismatchShowsBothSetsAndHowToRepairIt) {
  EXPECT_EQ(messages("var a = 1\nbranch true $A $B\n$A: var x = 1\ngoto End\n$B: var y = 2\n"
                     "goto End\nEnd: print a\n"),
            "the ways to `End` bring different variables: only this one brings `y`, only the other "
            "one brings `x`\n"
            "  6: in scope on this way: {a, y}\n"
            "  4: in scope on the other way, from here: {a, x}\n"
            "  = `drop y` before going to `End`; or declare it before the ways part\n");
}

TEST(Wellformed, ADeclarationMismatchShowsBothDeclarations) {
  EXPECT_EQ(messages("stop\nfunction f(var x)\nbranch x $A $End\n$A: drop x\nvar x = 1\n"
                     "$End: return x\n"),
            "the ways to `End` bring `x` from different declarations\n"
            "  5: in scope on this way: {x}\n"
            "  5: `x` is declared here\n"
            "  3: in scope on the other way, from here: {x}\n"
            "  2: `x` is declared here\n"
            "  = declare `x` once, before the ways part, and assign to it on each\n");
}

TEST(Wellformed, MissingEntriesAreListedTogether) {
  EXPECT_EQ(messages("var x = 1\nvar y = 2\nassume [true] else (main, anon, L) []\nL: print x\n"),
            "`x` and `y` get no value at `main.anon.L`\n"
            "  4: in scope there: {x, y}\n"
            "  = add `var x = ...` (`nil` will do where the target never looks at it)\n");
}

TEST(Wellformed, LongListsAreCut) {
  std::string text;
  for (int i = 0; i < 30; ++i) text += "var x" + std::to_string(i) + "\n";
  const std::string found = messages(text + "{} stop\n");
  EXPECT_NE(found.find("`x18`, `x19` and 10 more are in scope but not listed"), found.npos)
      << found;
  EXPECT_NE(found.find("x18, x19, ...}"), found.npos) << found;
}

TEST(Wellformed, SaysWhatIsMeant) {
  EXPECT_NE(messages("var count = 1\nprint cuont\n").find("did you mean `count`?"),
            std::string::npos);
  EXPECT_NE(messages("$Loop: goto loop\n").find("did you mean `Loop`?"), std::string::npos);
  EXPECT_NE(messages("call r = 'fun()\nfunction fum()\nreturn 1").find("did you mean `fum`?"),
            std::string::npos);
  EXPECT_NE(messages("L: anchor else (main, annon, L) []").find("did you mean `anon`?"),
            std::string::npos);
}

// --- robustness --------------------------------------------------------------------------------

std::multiset<Code> codes(const Diagnostics& problems) {
  std::multiset<Code> result;
  for (const Diagnostic& d : problems.sorted()) result.insert(d.code);
  return result;
}

// Without places equal messages fall together, so only which codes there are is compared.
TEST(Wellformed, NeedsNoPlaces) {
  for (const fs::path& path : file_tests()) {
    Names names;
    const Loaded loaded = load("test.sou", read(path), names, {.check = false});
    if (loaded.problems.has_errors()) continue;
    Diagnostics with, without;
    check_wellformed(loaded.program, loaded.spans, names, with);
    check_normal_form(loaded.program, loaded.spans, names, with);
    check_wellformed(loaded.program, {}, names, without);
    check_normal_form(loaded.program, {}, names, without);
    const auto a = codes(with), b = codes(without);
    EXPECT_EQ(std::set(a.begin(), a.end()), std::set(b.begin(), b.end())) << path;
    SourceMap partial = loaded.spans;
    for (FunctionSpans& function : partial.functions)
      for (VersionSpans& version : function.versions)
        version.names.resize(version.names.size() / 2);
    Diagnostics some;
    check_wellformed(loaded.program, partial, names, some);
  }
}

// Whole lines and single bytes changed; what is read is checked whatever it is.
TEST(Wellformed, MistakenProgramsAreReportedNotCrashedOn) {
  std::mt19937 random(42);
  std::vector<std::string> lines;
  for (const fs::path& path : file_tests()) {
    std::istringstream text(read(path));
    for (std::string line; std::getline(text, line);) lines.push_back(line);
  }
  for (int round = 0; round < 3000; ++round) {
    std::string text;
    const std::size_t start = random() % lines.size(), length = 1 + random() % 40;
    for (std::size_t i = 0; i < length; ++i)
      text +=
          lines[random() % 4 == 0 ? random() % lines.size() : (start + i) % lines.size()] + "\n";
    for (int change = static_cast<int>(random() % 3); change > 0; --change)
      text[random() % text.size()] = static_cast<char>(random() % 256);
    Names names;
    Loaded loaded = load("test.sou", text, names, {.check = false});
    check_wellformed(loaded.program, loaded.spans, names, loaded.problems);
    check_normal_form(loaded.program, loaded.spans, names, loaded.problems);
    EXPECT_NE(all_of(loaded), "-");
  }
}

// No recursion on the depth of the program, and no scope stored for each label: 20,000 variables
// at 10,000 labels.
TEST(Wellformed, LargeScopesAtManyLabelsCostNothing) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) text += "var v" + std::to_string(i) + "\n";
  for (int i = 0; i < 10'000; ++i) {
    const std::string n = std::to_string(i);
    text += "branch true $A" + n + " $B" + n + "\n$A" + n + ":\n$B" + n + ":\n";
  }
  Names names;
  EXPECT_FALSE(check(text + "print v0\n", names).problems.has_errors());
}

TEST(Wellformed, WorkOnARejectedProgramIsBounded) {
  std::string text;
  for (int i = 0; i < 20'000; ++i) {
    const std::string n = std::to_string(i);
    text += "branch true $A" + n + " $B" + n + "\n$A" + n + ": var x" + n + "\ngoto C" + n +
            "\n$B" + n + ": goto C" + n + "\nC" + n + ": goto M" + n + "\nD" + n + ": print y" + n +
            "\n";
  }
  Names names;
  EXPECT_GT(check(text, names).problems.errors(), 20'000u);
}

TEST(Wellformed, ExitsOfProgramsMadeByHandNeedALabel) {
  Names names;
  Loaded loaded = load("test.sou", "L: anchor else (main, anon, L) []\n", names);
  auto& exit = std::get<Anchor>(loaded.program.functions[0].versions[0].body[0].instr).exit;
  for (const std::uint32_t offset : {0u, 1u}) {
    exit.frame.target.label.reset();
    if (offset == 1) exit.frame.target.label = names.intern<Label>("L");
    exit.frame.target.offset = offset;
    Diagnostics problems;
    check_wellformed(loaded.program, loaded.spans, names, problems);
    EXPECT_TRUE(has(problems, Code::UnknownLabel));
  }
}

TEST(Wellformed, FunctionsMadeByHandNeedAVersion) {
  Names names;
  Program program;
  program.functions.push_back({.name = names.intern<FunName>("main")});
  Diagnostics problems;
  check_wellformed(program, {}, names, problems);
  EXPECT_TRUE(has(problems, Code::EmptyBody));
}

} // namespace
} // namespace sourir::testing
