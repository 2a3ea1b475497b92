// Every pass on random programs: the result is well-formed, in normal form if the input was,
// behaves the same, and its state map covers every mandatory position; where the pass claims so, a
// second run changes nothing. Other programs: --gtest_random_seed=N.
#include "sourir/bisim/generate/random_program.h"
#include "sourir/passes/registry.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/scopes.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"
#include "tests/unit/shown.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sourir {
namespace {

// One way to apply a pass.
struct Application {
  std::string pass;
  std::vector<std::pair<std::string, std::string>> options;
  // After so many times nothing is left to do; 0: it always adds something.
  std::uint32_t times = 1;
  // What makes work for it, applied before.
  std::vector<std::string> first = {};
  bool feedback = false;

  std::string name() const {
    std::string text = pass;
    for (const std::string& other : first) text += "_after_" + other;
    for (const auto& [option, value] : options) text += "_" + option + value;
    if (feedback) text += "_with_feedback";
    std::replace(text.begin(), text.end(), '-', '_');
    return text;
  }
  friend void PrintTo(const Application& a, std::ostream* out) { *out << a.name(); }
};

std::vector<Application> applications() {
  // What one of these removes may have kept something else alive, or changed it in a loop; and
  // after an inlined body more is known of the calls in it.
  static const std::vector<std::string> kCascades = {"compose-assumes",
                                                     "dce",
                                                     "drop-assumes",
                                                     "gvn",
                                                     "inline",
                                                     "insert-from-anchor",
                                                     "late-declarations",
                                                     "load-elimination",
                                                     "lower-anchors",
                                                     "move-assumes",
                                                     "deferred-materialization",
                                                     "unreachable"};
  static const std::vector<std::string> kAddsAlways = {"unroll", "split", "undo"};
  const auto among = [](const auto& list, const std::string& name) {
    return std::find(list.begin(), list.end(), name) != list.end();
  };
  std::vector<Application> all;
  for (const PassRow& row : all_passes()) {
    const std::string name(row.name);
    if (name == "guard-results") continue; // below
    all.push_back({name, {}, among(kAddsAlways, name) ? 0U : among(kCascades, name) ? 16U : 1U});
  }
  all.push_back({"unroll", {{"times", "3"}}, 0});
  all.push_back({"split", {}, 0, {}, true});
  const std::vector<std::string> kCopied = {"fresh-version", "checkpoints"};
  const std::vector<std::string> kChained = {"fresh-version", "checkpoints", "constprop"};
  all.push_back({"checkpoints", {{"everywhere", ""}}, 1, {"fresh-version"}});
  for (const char* way : {"true", "false"}) {
    all.push_back({"speculate", {{"branches", way}}, 1, kCopied});
    all.push_back({"insert-from-anchor", {{"branches", way}}, 16, kCopied});
  }
  all.push_back({"speculate", {}, 0, kCopied, true});
  all.push_back({"hoist-predicates", {}, 1, kChained});
  all.push_back({"compose-assumes", {}, 16, {"constprop", "fresh-version", "checkpoints"}});
  all.push_back({"guard-results", {}, 0, {"fresh-version"}, true});
  all.push_back({"osr-in", {}, 1, kCopied});
  all.push_back({"specialize", {}, 1, kCopied});
  all.push_back({"specialize", {}, 0, {}, true});
  all.push_back({"undo", {}, 0, kChained});
  return all;
}

// That variables equal 1 or are integers, here and there.
Feedback made_up_feedback(const Program& program) {
  Feedback feedback;
  for (const Function& f : program.functions) {
    const Version* const v = active_version(f);
    if (v == nullptr) continue;
    const Scopes scopes = scopes_of(program, f, *v);
    for (Position at = 0; at < v->body.size(); at += 3) {
      if (!scopes[at] || scopes[at]->empty()) continue;
      const SimpleExpr x = (*scopes[at])[at % scopes[at]->size()];
      const Place place{f.name, v->name, {}, at};
      feedback.predicates.push_back({place, Binary{BinaryOp::Eq, x, std::int64_t{1}}});
      if (at % 2 == 0) feedback.predicates.push_back({place, KindTest{x, Kind::Int}});
      if (at % 2 == 0) feedback.results.push_back({place, KindTest{x, Kind::Int}});
      if (at % 5 == 0) feedback.unreached.push_back(place);
    }
  }
  return feedback;
}

std::optional<PassResult> apply(const Application& a, const Program& program, Names& names) {
  PassOptions options;
  for (const auto& [name, value] : a.options) options.set(name, value);
  const Feedback feedback = a.feedback ? made_up_feedback(program) : Feedback{};
  return find_pass(a.pass)->run({program, names, options, feedback});
}

Program prepared(const Application& a, Program program, Names& names) {
  for (const std::string& pass : a.first)
    if (auto result = apply({pass, {}}, program, names)) program = std::move(result->program);
  return program;
}

std::vector<std::string> problems_of(const Program& program, const Names& names, bool normal_form) {
  Diagnostics problems;
  check_wellformed(program, {}, names, problems);
  if (normal_form) check_normal_form(program, {}, names, problems);
  std::vector<std::string> found;
  for (const Diagnostic& d : problems.sorted())
    if (row(d.code).severity == Severity::Error)
      found.push_back(std::string(row(d.code).name) + ": " + d.message);
  return found;
}

class PassOnRandomPrograms : public ::testing::TestWithParam<Application> {};

TEST_P(PassOnRandomPrograms, KeepsWhatItMust) {
  const Application& how = GetParam();
  static constexpr std::uint64_t kPrograms = 100;
  std::uint64_t fired = 0;
  const auto first = static_cast<std::uint64_t>(GTEST_FLAG_GET(random_seed)) * kPrograms;
  for (std::uint64_t seed = first; seed < first + kPrograms; ++seed) {
    Names names;
    ChoiceSequence choices(seed);
    const Policy policy = random_policy(choices, 150);
    const RandomCase random = random_case(choices, policy, names);
    const Program before = prepared(how, random.program, names);
    const bool normal = how.pass == "normalize" || problems_of(before, names, true).empty();
    const auto once = apply(how, before, names);
    if (!once) continue;
    ++fired;
    const std::string texts = print(before, names) + "\n=>\n" + print(once->program, names);
    ASSERT_EQ(problems_of(once->program, names, normal), std::vector<std::string>{}) << seed << "\n"
                                                                                     << texts;
    ASSERT_FALSE(before == once->program) << seed << "\n" << texts;
    const Coverage covered =
        coverage(state_map(once->origins, before, once->program), before, once->program);
    ASSERT_EQ(covered.mapped, covered.mandatory) << seed << "\n" << texts;
    for (const char* deopt : {"never", "p:0.5:1"}) {
      const auto was = testing::shown(before, names, random, deopt);
      const auto is = testing::shown(once->program, names, random, deopt);
      if (!was || !is) continue;
      ASSERT_EQ(*was, *is) << seed << "\n" << texts;
    }
    if (how.times == 0) continue;
    std::optional<PassResult> last = once, next = apply(how, last->program, names);
    for (std::uint32_t n = 1; next && n < how.times; ++n) {
      last = std::move(next);
      next = apply(how, last->program, names);
    }
    ASSERT_FALSE(next) << seed << "\n" << texts << "\n=>\n" << print(next->program, names);
  }
  RecordProperty("fired", static_cast<int>(fired));
  if (first == 0 && how.name() != "split") { // calls of variables are rare
    EXPECT_GT(fired, 0U);
  }
}

std::string test_name(const ::testing::TestParamInfo<Application>& how) { return how.param.name(); }

INSTANTIATE_TEST_SUITE_P(Passes, PassOnRandomPrograms, ::testing::ValuesIn(applications()),
                         test_name);

} // namespace
} // namespace sourir
