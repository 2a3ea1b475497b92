// The JSON form of feedback: what is written is read back the same.
#include "sourir/passes/core/feedback_form.h"

#include "sourir/syntax/text/parser.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir {
namespace {

constexpr const char* kFormProgram = R"(function main()
  call r = 'f(3)
  print r
  stop
function f(var n)
version base
  var x = (n + 1)
  branch (x == 4) $Yes $No
$Yes:
  call y = 'g(x)
  return y
$No:
  var gone = 1
  drop gone
  return nil
function g(var i)
  return i
)";

class FeedbackForm : public ::testing::Test {
protected:
  FeedbackForm() {
    const auto place = [&](const char* text) { return *parse_place(text, names()); };
    const auto expr = [&](const char* text) { return *parse_expr(text, names()); };
    Feedback some;
    some.branches = {{place("f.base+1"), 7, 0}};
    some.dispatched = {{names().intern<FunName>("g"), {expr("(i is int)")}}};
    some.predicates = {{place("f.base+0"), expr("(n is int)")},
                       {place("f.base+2"), expr("x == 4")}};
    file_.feedback = file_.functions.emplace_back(names().intern<FunName>("f"), some).feedback;
    file_.functions[0].when = {expr("(n is int)")};
    file_.types = {{place("f.base+1"), names().intern<Var>("x"), {Kind::Int, Kind::Nil}}};
    file_.targets = {{place("f.base+2"), {names().intern<FunName>("g")}, false},
                     {place("main.anon+0"), {}, true}};
    file_.branch_counts = {{place("f.base+1"), 7, 1}};
    file_.samples = {{"f.opt#1", "f.base+1", "x", false, {0, 0, 30, 2}},
                     {"f.opt#1", "f.base+2", "a", true, {1, 0, 30}}};
  }

  Names& names() { return running_.names(); }
  const Program& program() { return running_.program().source(); }
  std::string written() { return feedback_json(file_, program(), names()); }

  sourir::testing::Running running_{kFormProgram};
  FeedbackFile file_;
};

TEST_F(FeedbackForm, IsReadBackTheSame) {
  const std::string text = written();
  FeedbackFile again;
  EXPECT_EQ(read_feedback(text, names(), again), "");
  EXPECT_EQ(feedback_json(again, program(), names()), text);
  EXPECT_TRUE(feedback_problems(again, program(), names()).empty());
  for (const char* part : {"\"(x == 4)\"", "\"taken\": 7", "\"nil\"", "\"others\": true", "\"g\"",
                           "\"int\": 30", "\"float\": 2", "\"f.opt#1\""})
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  const FeedbackFile::OfFunction& of_f = *again.of(names().intern<FunName>("f"));
  EXPECT_EQ(of_f.feedback.predicates.size(), 2);
  EXPECT_EQ(of_f.when, file_.functions[0].when);
  EXPECT_EQ(again.of(names().intern<FunName>("g")), nullptr);
}

// At f.base+6 the variable is not in scope any more: passes would refuse the file.
TEST_F(FeedbackForm, LeavesOutWhatDoesNotFitTheProgram) {
  const std::string before = written();
  const Place end = *parse_place("f.base+6", names());
  file_.feedback.predicates.push_back({end, *parse_expr("gone == 1", names())});
  file_.types.push_back({end, names().intern<Var>("gone"), Kind::Int});
  EXPECT_FALSE(feedback_problems(file_, program(), names()).empty());
  EXPECT_EQ(written(), before);
}

TEST_F(FeedbackForm, GuardsOfContextsAreOnParameters) {
  const std::vector<Expr> of_x = {*parse_expr("(x is int)", names())};
  file_.functions[0].when = of_x;
  file_.feedback.dispatched = {{names().intern<FunName>("f"), of_x}};
  const auto problems = feedback_problems(file_, program(), names());
  EXPECT_EQ(problems,
            (std::vector<std::string>{"x is no parameter of f", "x is no parameter of f"}));
  file_.feedback.dispatched = {{names().intern<FunName>("no"), of_x}};
  EXPECT_EQ(feedback_problems(file_, program(), names()).front(), "there is no function no");
}

TEST_F(FeedbackForm, OfARunWhoseEndIsNotKnown) {
  const std::string text =
      incomplete_feedback_json({function_feedback_json(file_.functions[0], program(), names())});
  FeedbackFile again;
  EXPECT_EQ(read_feedback(text, names(), again), "");
  EXPECT_FALSE(again.complete);
  ASSERT_EQ(again.functions.size(), 1);
  EXPECT_EQ(again.functions[0].feedback.predicates.size(), 2);
  FeedbackFile none;
  EXPECT_EQ(read_feedback(incomplete_feedback_json({}), names(), none), "");
  EXPECT_TRUE(none.functions.empty());
}

} // namespace
} // namespace sourir
