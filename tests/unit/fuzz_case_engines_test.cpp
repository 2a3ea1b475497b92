// Fuzz cases with other engines: requests to them, and findings where they differ.
#include "sourir/fuzz/fuzz_case.h"

#include <gtest/gtest.h>

#include <stdexcept>

namespace sourir {
namespace {

// The reference as an engine.
EngineAnswer honest(const EngineInput& input) {
  const ReferenceRun run =
      reference_run(input.program, input.reads, input.schedule, input.limits, input.names);
  EngineAnswer answer{.events = run.events, .reads = 0, .forced = run.forced};
  answer.reads =
      std::erase_if(answer.events, [](const Event& e) { return e.kind == Event::Kind::Read; });
  return answer;
}

// The kinds of what an engine is found to do wrong in so many cases, and in how many.
struct EngineFindings {
  std::uint64_t findings = 0, asked = 0, undecided = 0;
  std::string report;
};
EngineFindings try_with(std::function<Result<EngineAnswer>(const EngineInput&)> run) {
  FuzzPlan plan;
  plan.transforms = {{"nothing", [](const TransformInput&) { return std::nullopt; }}};
  plan.engines = {{"lying", std::move(run)}};
  EngineFindings found;
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    ChoiceSequence choices(seed);
    const auto fuzz_case = make_case(choices, plan);
    fuzz_case->pipeline.clear();
    const FuzzResult result = try_case(*fuzz_case, plan);
    found.asked += result.counters.of("engine/lying/runs");
    found.undecided += result.counters.of("inconclusive/lying-undecided");
    EXPECT_TRUE(!result.counters.of("inconclusive/lying-undecided") || result.inconclusive);
    if (!result.finding) continue;
    EXPECT_EQ(result.finding->oracle, Oracle::Engines);
    EXPECT_EQ(result.finding->kind, "program/engines/lying");
    ++found.findings;
    found.report = result.finding->report;
  }
  return found;
}

TEST(FuzzCaseEngines, AnHonestEngineIsNotFound) {
  const EngineFindings found = try_with(honest);
  EXPECT_EQ(found.findings, 0U) << found.report;
  EXPECT_GT(found.asked, 100U);
}

TEST(FuzzCaseEngines, ACaseThatIsNotComparedInFullIsInconclusive) {
  const EngineFindings found = try_with([](const EngineInput& input) {
    EngineAnswer answer = honest(input);
    answer.inconclusive = "undecided";
    return answer;
  });
  EXPECT_EQ(found.findings, 0U) << found.report;
  EXPECT_GT(found.undecided, 30U);
}

TEST(FuzzCaseEngines, APrintTooFewIsFound) {
  const EngineFindings found = try_with([](const EngineInput& input) {
    EngineAnswer answer = honest(input);
    if (answer.events.size() > 1) answer.events.erase(answer.events.begin());
    return answer;
  });
  EXPECT_GT(found.findings, 10U);
  EXPECT_NE(found.report.find("event"), std::string::npos) << found.report;
}

TEST(FuzzCaseEngines, AnExitThatIsNotTakenIsFound) {
  const EngineFindings found = try_with([](const EngineInput& input) {
    EngineAnswer answer = honest(input);
    *answer.forced -= *answer.forced > 0 ? 1 : 0;
    return answer;
  });
  EXPECT_GT(found.findings, 3U); // one run in a few is forced to exit
  EXPECT_NE(found.report.find("forced to exit"), std::string::npos) << found.report;
}

TEST(FuzzCaseEngines, AnEngineThatThrowsIsFound) {
  const EngineFindings found =
      try_with([](const EngineInput&) -> Result<EngineAnswer> { return failure("no code"); });
  EXPECT_GT(found.findings, 50U); // all but those at a limit
  EXPECT_NE(found.report.find("it throws: no code"), std::string::npos) << found.report;
}

TEST(FuzzCaseEngines, AnotherEndIsFound) {
  const EngineFindings found = try_with([](const EngineInput& input) {
    EngineAnswer answer = honest(input);
    answer.events.back() = {Event::Kind::Limit, "fuel"};
    return answer;
  });
  EXPECT_GT(found.findings, 50U);
}

} // namespace
} // namespace sourir
