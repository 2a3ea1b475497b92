// Static contexts by example; `StaticContextsHold` of tests/property compares them with runs.
#include "sourir/analysis/static_context.h"

#include "sourir/analysis/facts_at.h"
#include "tests/unit/reading.h"

#include <gtest/gtest.h>

namespace sourir {
namespace {

using testing::Reading;

// A call of f(x, y) in a version of g(a, b) with a context.
class StaticContextOfCall : public ::testing::Test {
protected:
  void read(const std::string& known, const std::string& arguments, const std::string& versions) {
    reading_.emplace("function main()\n  stop\nfunction g(var a, var b)\nversion v when [" + known +
                     "]\n  var huge = (1e308 * 10.0)\n  call r = 'f(" + arguments +
                     ")\n  return r\nversion base\n  return nil\nfunction f(var x, var y)\n" +
                     versions);
    ASSERT_FALSE(reading_->problems.has_errors()) << reading_->found().front();
    const Program& program = reading_->parsed.program;
    analyses_.emplace(program);
    FactsAt facts(analyses_->of(program.functions[1], reading_->version(1)));
    known_.emplace(std::get<Call>(reading_->version(1).body[1].instr), program.functions[2],
                   *facts.before(1));
  }
  std::string context(const std::string& known, const std::string& arguments) {
    read(known, arguments, "  return nil\n");
    const auto guards = known_->context().guards(reading_->parsed.program.functions[2].params);
    if (!guards) return "no guards";
    std::string text;
    for (const Expr& guard : *guards)
      text.append(text.empty() ? "" : ", ").append(print(guard, *reading_->names));
    return text;
  }
  std::string entered(const std::string& known, const std::string& arguments) {
    read(known, arguments, kVersions);
    const Version* const version = known_->entered();
    return version != nullptr ? std::string(reading_->names->text(version->name)) : "unknown";
  }

  static constexpr const char* kVersions =
      "version both when [(x is int), (y is int)]\n  return 1\n"
      "version five when [(x == 5)]\n  return 2\n"
      "version small when [(x < 3), (x is int)]\n  return 3\n"
      "version ints when [(x is int)]\n  return 4\n"
      "version base\n  return 5\n";
  std::optional<Reading> reading_;
  std::optional<ProgramAnalyses> analyses_;
  std::optional<StaticContext> known_;
};

TEST_F(StaticContextOfCall, HasTypesConstantsElementsAndInequalities) {
  EXPECT_EQ(context("true", "a, b"), "");
  EXPECT_EQ(context("(a is int)", "a, a"), "(x is int), (y is int)");
  EXPECT_EQ(context("(a is int)", "b, a"), "(y is int)");
  EXPECT_EQ(context("(a != nil)", "a, b"), "(x != nil)");
  EXPECT_EQ(context("true", "3, 'main"), "(x == 3), (y == 'main)");
  EXPECT_EQ(context("(a is int[])", "a, (a == nil)"), "(x is int[]), (y == false)");
  EXPECT_EQ(context("(a != 5)", "a, 5"), "(y == 5), (x != y)");
  EXPECT_EQ(context("true", "0.0, -0.0"), "(x == 0.0), (y == 0.0)");
  EXPECT_EQ(context("true", "(a + b), nil"), "no guards"); // int|float|string: no guard tests that
}

// A float that is not finite equals no literal.
TEST_F(StaticContextOfCall, SaysOnlyTheTypeOfInfinity) {
  EXPECT_EQ(context("true", "huge, (huge - huge)"), "(x is float), (y is float)");
}

TEST_F(StaticContextOfCall, EntersTheFirstVersionThatItEntails) {
  EXPECT_EQ(entered("true", "5, 5"), "both");
  EXPECT_EQ(entered("true", "5, nil"), "five");
  EXPECT_EQ(entered("true", "2, nil"), "small"); // an opaque guard, decided by the value
  EXPECT_EQ(entered("true", "7, nil"), "ints");
  EXPECT_EQ(entered("true", "nil, 5"), "base"); // (nil < 3) has no value
}

TEST_F(StaticContextOfCall, DoesNotKnowTheVersionWhereAnEarlierOneMayBeEntered) {
  EXPECT_EQ(entered("true", "5, a"), "unknown");
  EXPECT_EQ(entered("true", "a, nil"), "unknown");
  EXPECT_EQ(entered("(a is int)", "a, nil"), "unknown");
  EXPECT_EQ(entered("(a is string)", "a, nil"), "base");
}

TEST_F(StaticContextOfCall, ListsTheGuardsThatAreOpen) {
  read("true", "2, a", kVersions);
  const auto& versions = reading_->parsed.program.functions[2].versions;
  const auto open = known_->open_guards(versions[0]);
  ASSERT_EQ(open.size(), 1U);
  EXPECT_EQ(print(open[0], *reading_->names), "(y is int)");
  EXPECT_TRUE(known_->excludes(versions[1]));
  EXPECT_TRUE(known_->open_guards(versions[3]).empty());
}

} // namespace
} // namespace sourir
