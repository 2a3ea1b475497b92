// Loading: checks, limits, the JSON form, and problems.
#include "sourir/syntax/json/load.h"

#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/text/printer.h"
#include "tests/unit/random_program.h"

#include <gtest/gtest.h>

namespace sourir::testing {
namespace {

using Strings = std::vector<std::string>;

Strings codes(const Loaded& loaded) {
  Strings found;
  for (const Diagnostic& d : loaded.problems.sorted()) found.emplace_back(row(d.code).name);
  return found;
}

const std::string kPartial = "function main()\nversion opt\n  var x = 1\n"
                             "  assume [] else (main, base, L) [var x = (x + 13)]\n  stop\n"
                             "version base\n  var x = 1\n>L:\n  stop x\n";

TEST(Load, ChecksWhatCouldBeRead) {
  Names names;
  EXPECT_EQ(codes(load("f", "print x\n", names)), Strings{"out-of-scope"});
  EXPECT_EQ(codes(load("f", "print x\nprint\n", names)), Strings{"syntax"});
  EXPECT_EQ(codes(load("f", "print x\n", names, {.check = false})), Strings{});
  EXPECT_EQ(codes(load("f", "", names)), Strings{"no-main"});
}

TEST(Load, StrictTurnsPartialVarmapsIntoErrors) {
  Names names;
  const Loaded lax = load("f", kPartial, names),
               strict = load("f", kPartial, names, {.strict = true});
  EXPECT_EQ(codes(lax), Strings{"partial-varmap"});
  EXPECT_FALSE(lax.problems.has_errors());
  EXPECT_EQ(codes(strict), Strings{"partial-varmap"});
  EXPECT_TRUE(strict.problems.has_errors());
}

TEST(Load, RefusesLargeTexts) {
  Names names;
  const Loaded loaded = load("f", std::string(101, '#'), names, {.max_bytes = 100});
  EXPECT_EQ(codes(loaded), Strings{"too-large"});
  EXPECT_EQ(loaded.source.text(), "");
  EXPECT_EQ(loaded.source.name(), "f");
}

TEST(Load, JsonIsReadFromItsCanonicalText) {
  for (std::uint32_t seed = 0; seed < 200; ++seed) {
    Names names;
    const Program program = RandomProgram(seed, names).program();
    const std::string text = print(program, names);
    const Loaded plain = load("f", text, names, {.check = false});
    const Loaded form =
        load("f", to_json(plain.program, plain.spans, names), names, {.check = false});
    EXPECT_EQ(codes(form), Strings{}) << text;
    EXPECT_EQ(form.source.text(), text);
    EXPECT_EQ(form.program == program, true) << text;
    EXPECT_EQ(form.spans == plain.spans, true) << text;
  }
}

TEST(Load, BadJsonIsReported) {
  Names names;
  for (const std::string text :
       {"{\"", "{\"format\": 1}", "{ \"a\": [}", "{\"format\":\"program\"}"})
    EXPECT_EQ(codes(load("f", text, names)).at(0), "bad-json") << text;
}

} // namespace
} // namespace sourir::testing
