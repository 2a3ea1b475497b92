// Predicates from type feedback: types, targets of calls, branches.
#include "native/tiering/feedback_predicates.h"

#include "sourir/syntax/text/printer.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir::native {
namespace {

constexpr const char* kLearningProgram = R"(function main()
  call r = 'f('g, 3)
  print r
  stop
function f(var h, var n)
  var i = 0
  goto Loop
Loop:
  branch (i < n) $Body $Done
$Body:
  call x = h(i)
  branch (x == nil) $No $Yes
$No:
  goto Next
$Yes:
  goto Next
Next:
  drop x
  i <- (i + 1)
  goto Loop
$Done:
  return i
function g(var i)
  return i
)";

class Seen {
public:
  Seen() : code_(running_.program().function(running_.names().intern<FunName>("f"))->dispatch[0]) {
    sites_.resize(code_->instrs.size());
  }
  SiteFeedback& operator[](Pc pc) { return sites_[pc]; }
  FunName function(const char* name) { return running_.names().intern<FunName>(name); }

  std::vector<std::string> text(std::vector<TypeSet> parameters = {},
                                const SpeculationOptions& options = {}) {
    const Feedback feedback = feedback_predicates(*code_, sites_, parameters, options);
    std::vector<std::string> lines;
    const Names& names = running_.names();
    for (const auto& s : feedback.predicates)
      lines.push_back(print(s.at, names) + ": " + print(s.predicate, names));
    for (const auto& b : feedback.branches)
      lines.push_back(print(b.at, names) + ": " + std::to_string(b.taken) + " " +
                      std::to_string(b.not_taken));
    return lines;
  }

private:
  testing::Running running_{kLearningProgram};
  const ResolvedVersion* code_;
  std::vector<SiteFeedback> sites_;
};

using Lines = std::vector<std::string>;

TEST(Observed, KindsOfParametersAndResults) {
  Seen seen;
  seen[3].result = type_set(Tag::Int); // call x
  const auto ints = type_set(Tag::Int);
  EXPECT_EQ(seen.text({type_set(Tag::Fun), ints}),
            (Lines{"f.anon+0: (h is fun)", "f.anon+0: (n is int)", "f.anon+4: (x is int)"}));
}

TEST(Observed, SeveralKindsAreNone) {
  Seen seen;
  seen[3].result = type_set(Tag::Int) | type_set(Tag::Nil);
  EXPECT_EQ(seen.text({{}, {}}), Lines{});
}

TEST(Observed, TheOnlyTarget) {
  Seen seen;
  seen[3].targets = 1;
  seen[3].callees[0] = seen.function("g");
  EXPECT_EQ(seen.text(), (Lines{"f.anon+3: (h == 'g)"}));
  seen[3].targets = 2;
  EXPECT_EQ(seen.text(), Lines{});
}

TEST(Observed, ABranchThatStaysInTheLoopAndOneThatEndsIt) {
  Seen seen;
  seen[2].taken = 1000;     // the loop's own
  seen[4].not_taken = 1000; // x == nil, in the loop
  EXPECT_EQ(seen.text(), (Lines{"f.anon+4: 0 1000"}));
  seen[4].not_taken = 3;
  EXPECT_EQ(seen.text(), Lines{});
}

TEST(Observed, WhatTheContextContradictsIsRemoved) {
  Names names;
  const auto f = names.intern<FunName>("f"), g = names.intern<FunName>("g");
  const auto a = names.intern<Var>("a"), b = names.intern<Var>("b");
  const auto at = [&](FunName of) { return Place{of, names.intern<VerName>("base"), {}, 0}; };
  const Feedback::Predicate contradicted{at(f), ElementsTest{SimpleExpr(a), Kind::Int}};
  const std::vector<Feedback::Predicate> kept{{at(f), ElementsTest{SimpleExpr(a), Kind::Float}},
                                              {at(f), ElementsTest{SimpleExpr(b), Kind::Int}},
                                              {at(f), KindTest{SimpleExpr(a), Kind::Array}},
                                              {at(g), ElementsTest{SimpleExpr(a), Kind::Int}}};
  Feedback feedback;
  feedback.results = kept;
  feedback.results.push_back(contradicted);
  remove_contradicted(feedback, f, std::vector<Expr>{ElementsTest{SimpleExpr(a), Kind::Float}});
  ASSERT_EQ(feedback.results.size(), kept.size());
  for (std::size_t i = 0; i < kept.size(); ++i)
    EXPECT_EQ(feedback.results[i].predicate, kept[i].predicate);
}

TEST(Observed, WhatIsSwitchedOff) {
  Seen seen;
  seen[3].result = type_set(Tag::Int);
  seen[4].not_taken = 1000;
  EXPECT_EQ(seen.text({}, {.types = false}), (Lines{"f.anon+4: 0 1000"}));
  EXPECT_EQ(seen.text({}, {.branches = false}), (Lines{"f.anon+4: (x is int)"}));
}

} // namespace
} // namespace sourir::native
