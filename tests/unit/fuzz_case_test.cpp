// Fuzz cases as a function of choices: what is inserted into programs, findings by oracle,
// shrinking; and transforms from pipelines and commands.
#include "sourir/fuzz/fuzz_case.h"
#include "sourir/fuzz/shrink_case.h"

#include "sourir/bisim/generate/odd_operands.h"
#include "sourir/bisim/generate/random_idioms.h"
#include "sourir/bisim/generate/random_program.h"
#include "sourir/bisim/reduce/reduce_program.h"
#include "sourir/fuzz/pass_transforms.h"
#include "sourir/syntax/json/load.h"
#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"

#include <gtest/gtest.h>

#include <set>
#include <stdexcept>

namespace sourir {
namespace {

FuzzPlan plan_of(const std::string& passes) {
  return with_transforms({}, std::get<PassTransforms>(pass_transforms(passes)));
}

FuzzPlan plan_of(Transform transform) {
  FuzzPlan plan;
  plan.transforms.push_back(std::move(transform));
  return plan;
}

std::size_t number_of_problems(const Program& program, const Names& names, bool normal) {
  Diagnostics problems;
  check_wellformed(program, {}, names, problems);
  if (normal && !problems.has_errors()) check_normal_form(program, {}, names, problems);
  return problems.sorted().size();
}

TEST(FuzzCases, AreAFunctionOfTheChoices) {
  const FuzzPlan plan = plan_of("all");
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ChoiceSequence choices(seed);
    const auto one = make_case(choices, plan);
    ChoiceSequence again(choices.used());
    const auto other = make_case(again, plan);
    EXPECT_EQ(print(one->program, one->names), print(other->program, other->names));
    EXPECT_EQ(one->pipeline, other->pipeline);
    EXPECT_EQ(one->inputs.size(), other->inputs.size());
    const FuzzResult first = try_case(*one, plan), second = try_case(*other, plan);
    EXPECT_EQ(first.counters, second.counters);
    EXPECT_FALSE(first.finding) << first.finding->report;
  }
}

TEST(FuzzCases, WhatIsPutInLeavesProgramsWellFormedAndNormal) {
  Policy policy = full_policy(40);
  policy.versions = 0;
  for (const Feature f :
       {Feature::Assumes, Feature::Anchors, Feature::Contexts, Feature::Continuations})
    policy.set(f, false);
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    Names names;
    ChoiceSequence choices(seed);
    RandomCase random = random_case(choices, policy, names);
    put_idioms(random.program, random.inputs, choices, names);
    ASSERT_EQ(number_of_problems(random.program, names, true), 0U) << print(random.program, names);
    put_odd_operands(random.program, choices, names);
    ASSERT_EQ(number_of_problems(random.program, names, true), 0U) << print(random.program, names);
    put_idioms(random.program, random.inputs, choices, names, IdiomsFor::Watches);
    ASSERT_EQ(number_of_problems(random.program, names, true), 0U) << print(random.program, names);
  }
}

// What comes with a piece may have versions, which must go on doing the same: pieces that are put
// in later leave them alone.
TEST(FuzzCases, WhatIsPutInLeavesVersionsThatDoTheSameAlone) {
  std::set<std::vector<std::size_t>> sizes; // of the bodies of such a function
  for (std::uint64_t seed = 1; seed <= 1'000; ++seed) {
    Names names;
    ChoiceSequence choices(seed);
    Diagnostics problems;
    Program program = parse(Source("x", "stop 1\n"), names, problems).program;
    std::vector<Value> inputs;
    put_idioms(program, inputs, choices, names, IdiomsFor::Engines);
    put_odd_operands(program, choices, names);
    for (const Function& f : program.functions) {
      std::vector<std::size_t> of;
      for (const Version& v : f.versions) of.push_back(v.body.size());
      if (of.size() > 1) sizes.insert(of);
    }
  }
  EXPECT_EQ(sizes.size(), 11U); // of `relies`, `joined` and `three`; `elems` has eight sizes
}

// The first finding of some cases.
std::optional<Finding> find(const FuzzPlan& plan) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    ChoiceSequence choices(seed);
    const auto fuzz_case = make_case(choices, plan);
    if (auto result = try_case(*fuzz_case, plan); result.finding) return result.finding;
  }
  return std::nullopt;
}

bool prints(const Stmt& stmt) { return std::holds_alternative<Print>(stmt.instr); }

// Prints something else instead: the states are as they were.
std::optional<Transformed> misprint(const TransformInput& in) {
  Program program = in.program;
  for (Function& f : program.functions)
    for (Version& v : f.versions)
      for (Stmt& stmt : v.body)
        if (prints(stmt)) stmt.instr = Print{SimpleExpr(in.names.intern<Str>("wrong"))};
  if (program == in.program) return std::nullopt;
  return Transformed{std::move(program), {}, 1};
}

std::optional<Transformed> jump_nowhere(const TransformInput& in) {
  Program program = in.program;
  auto& body = program.functions.front().versions.front().body;
  body.insert(body.begin(), Stmt{{}, Goto{in.names.intern<Label>("nowhere")}});
  return Transformed{std::move(program), {}, 1};
}

struct WrongTransform {
  const char* name;
  Oracle oracle;
  std::function<Result<std::optional<Transformed>>(const TransformInput&)> run;
};
const WrongTransform kWrong[] = {
    {"throwing", Oracle::Claims,
     [](const TransformInput&) -> Result<std::optional<Transformed>> { return failure("no"); }},
    {"boasting", Oracle::Claims,
     [](const TransformInput& in) -> std::optional<Transformed> {
       return Transformed{in.program, {}, 1};
     }},
    {"jumping", Oracle::Structure, jump_nowhere},
    {"misprinting", Oracle::Events, misprint},
};

TEST(FuzzCases, FindWhatIsWrong) {
  for (const WrongTransform& wrong : kWrong) {
    const auto finding = find(plan_of(Transform{wrong.name, wrong.run}));
    ASSERT_TRUE(finding) << wrong.name;
    EXPECT_EQ(finding->oracle, wrong.oracle) << wrong.name;
    EXPECT_EQ(finding->transform, wrong.name);
    EXPECT_TRUE(finding->kind.starts_with(std::string(wrong.name) + "/")) << finding->kind;
  }
}

// What is wrong after the first finding is found by others.
TEST(FuzzCases, AskEachOracleByItself) {
  FuzzPlan plan = plan_of(Transform{"misprinting", misprint});
  for (const Oracle oracle : {Oracle::Events, Oracle::Versions}) {
    plan.oracles = OracleSet();
    plan.oracles.set(oracle);
    const auto finding = find(plan);
    ASSERT_TRUE(finding) << name_of(oracle);
    EXPECT_EQ(finding->oracle, oracle);
  }
}

TEST(FuzzCases, DoNotAskOraclesThatAreSwitchedOff) {
  for (const WrongTransform& wrong : kWrong) {
    FuzzPlan plan = plan_of(Transform{wrong.name, wrong.run});
    plan.oracles = OracleSet();
    EXPECT_FALSE(find(plan)) << wrong.name;
  }
}

TEST(FuzzCases, ShrinkToAFewInstructions) {
  FuzzPlan plan = plan_of("constprop,dce");
  plan.transforms.push_back({"misprinting", misprint});
  plan.under_test = {plan.transforms.size() - 1};
  for (std::uint64_t seed = 1, shrunk = 0; shrunk < 3; ++seed) {
    ChoiceSequence choices(seed);
    auto fuzz_case = make_case(choices, plan);
    const FuzzResult result = try_case(*fuzz_case, plan);
    if (!result.finding) continue;
    ++shrunk;
    const std::string kind = result.finding->kind;
    ChoiceSequence small(shrink_case(choices.used(), kind, plan));
    fuzz_case = shrink_case(make_case(small, plan), kind, plan);
    EXPECT_LE(instructions_of(fuzz_case->program), 2U)
        << print(fuzz_case->program, fuzz_case->names);
    EXPECT_EQ(fuzz_case->pipeline.size(), 1U);
    const FuzzResult again = try_case(*fuzz_case, plan);
    ASSERT_TRUE(again.finding);
    EXPECT_TRUE(same_bug(again.finding->kind, kind));
  }
}

TEST(FuzzCases, KindsAreOfOneBugByTransformAndOracle) {
  EXPECT_TRUE(same_bug("dce/events/print/stop", "dce/events/stop"));
  EXPECT_TRUE(same_bug("dce/structure", "dce/structure/more"));
  EXPECT_FALSE(same_bug("dce/events/print", "dce/states/print"));
  EXPECT_FALSE(same_bug("dce/events", "gvn/events"));
}

TEST(PassTransforms, TakePipelinesStepByStep) {
  const auto made = std::get<PassTransforms>(
      pass_transforms("inline:max-size=9, O2,fix(dce,simplify),exec:'a, b' \"c,d\""));
  ASSERT_EQ(made.under_test.size(), 4U);
  const auto text = [&](std::size_t i) { return made.transforms[made.under_test[i]].text; };
  EXPECT_EQ(text(0), "inline:max-size=9");
  EXPECT_EQ(text(1), "O2");
  EXPECT_EQ(text(2), "fix(dce,simplify)");
  EXPECT_EQ(text(3), "exec:'a, b' \"c,d\"");
  EXPECT_TRUE(std::get<PassTransforms>(pass_transforms("all")).under_test.empty());
  const auto error = std::get<PipelineError>(pass_transforms("dce, nothing"));
  EXPECT_EQ(error.at, 5U);
}

// A command that cannot be used is a finding.
TEST(PassTransforms, CommandsThatFailThrow) {
  auto made = std::get<PassTransforms>(
      pass_transforms("exec:x", [](const std::string&, const Program&, Names&) {
        return Result<CommandOutput>(failure("it exited with 1"));
      }));
  const auto finding = find(with_transforms({}, std::move(made)));
  ASSERT_TRUE(finding);
  EXPECT_EQ(finding->oracle, Oracle::Claims);
  EXPECT_NE(finding->report.find("it exited with 1"), std::string::npos);
}

} // namespace
} // namespace sourir
