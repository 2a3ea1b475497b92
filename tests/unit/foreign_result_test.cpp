// What is found of results of passes that are not part of sourir.
#include "sourir/passes/core/foreign_result.h"

#include "sourir/passes/inline/inline.h"
#include "tests/unit/reading.h"

#include <gtest/gtest.h>

#include <functional>

namespace sourir {
namespace {

using testing::Reading;

constexpr const char* kCaller = R"(function main()
  call x = 'f(1)
  print x
function f(var a)
  return (a + 1)
)";

// A result that is right, with a context: f is inlined.
class ForeignResult : public ::testing::Test {
protected:
  // The problem after `change`.
  std::string after(const std::function<void(PassResult&)>& change) {
    PassResult result = *right_;
    change(result);
    return foreign_result_problem(result, input(), *read_.names);
  }
  std::string after_in_main(const std::function<void(VersionOrigin&)>& change) {
    return after([&](PassResult& result) { change(result.origins.front()); });
  }
  const Program& input() const { return read_.parsed.program; }
  template <class Name>
  Name name(std::string_view text) {
    return read_.names->intern<Name>(text);
  }

  Reading read_{kCaller};
  PassOptions options_;
  Feedback feedback_;
  std::optional<PassResult> right_ = inline_calls({input(), *read_.names, options_, feedback_});
};

TEST_F(ForeignResult, RightOnesHaveNone) {
  ASSERT_TRUE(right_);
  ASSERT_EQ(right_->origins.size(), 1U);
  ASSERT_EQ(right_->origins.front().contexts.size(), 1U);
  EXPECT_EQ(after([](PassResult&) {}), "");
}

TEST_F(ForeignResult, Programs) {
  const std::string ill_formed = "its output is not well-formed: ";
  EXPECT_EQ(after([&](PassResult& r) {
              r.program.functions[1].versions[0].body[0].instr = Goto{name<Label>("L")};
            }),
            ill_formed + "unknown-label: there is no label `L` in version `anon` of `f`");
  EXPECT_EQ(after([](PassResult& r) {
              r.program.functions[1].versions.clear();
            }).substr(0, ill_formed.size()),
            ill_formed);
  EXPECT_EQ(after([](PassResult& r) { std::swap(r.program.functions[0], r.program.functions[1]); }),
            "its output has no function main at the place 1 where the input has it");
  EXPECT_EQ(after([](PassResult& r) { r.program.functions.pop_back(); }),
            "its output has no function f at the place 2 where the input has it");
}

TEST_F(ForeignResult, VersionsAndPositions) {
  const std::string of_main = "its origins of main.anon: ";
  EXPECT_EQ(after_in_main([&](VersionOrigin& o) { o.version = name<VerName>("v"); }),
            "its origins of main.v: there is no such version in its output");
  EXPECT_EQ(after_in_main([&](VersionOrigin& o) { o.function = name<FunName>("g"); }),
            "its origins of g.anon: there is no such version in its output");
  EXPECT_EQ(after_in_main([&](VersionOrigin& o) { o.from.version = name<VerName>("v"); }),
            of_main + "it comes from no version of the input");
  const std::size_t positions = right_->program.functions[0].versions[0].body.size() + 1;
  EXPECT_EQ(after_in_main([&](VersionOrigin& o) { o.positions.resize(positions + 1); }),
            of_main + "it has " + std::to_string(positions) + " positions, the origins " +
                std::to_string(positions + 1));
  EXPECT_EQ(after_in_main([&](VersionOrigin& o) { o.context_of.clear(), o.positions[0] = 3; }),
            of_main + "position 0 comes from position 3 of a version with 3");
}

TEST_F(ForeignResult, Contexts) {
  const std::string of_main = "its origins of main.anon: ";
  EXPECT_EQ(after_in_main([](VersionOrigin& o) { o.context_of.front() = 2; }),
            of_main + "there is no context 2");
  EXPECT_EQ(after_in_main([](VersionOrigin& o) { o.contexts.front().caller = 1; }),
            of_main + "the caller of context 1 comes after it");
  EXPECT_EQ(after_in_main(
                [&](VersionOrigin& o) { o.contexts.front().from.version = name<VerName>("v"); }),
            of_main + "context 1 comes from no version of the input");
}

TEST_F(ForeignResult, StatesOfItsOwn) {
  const auto state_in = [&](std::string_view version) {
    return after_in_main([&](VersionOrigin& o) {
      Metadata state;
      state.frame.target = {o.function, name<VerName>(version), {}, 0};
      o.states[0] = state;
    });
  };
  EXPECT_EQ(state_in("anon"), "");
  EXPECT_EQ(state_in("v").substr(0, 28), "its state map does not fit: ");
}

} // namespace
} // namespace sourir
