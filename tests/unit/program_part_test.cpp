// The part of a program that the optimizer of the tiers gets.
#include "native/tiering/program_part.h"
#include "sourir/syntax/json/load.h"

#include <gtest/gtest.h>

namespace sourir::native {
namespace {

constexpr const char* kWholeProgram = R"(
call x = 'f(1)
function f(var n)
version fast
  assume [(n == 1)] else (left, base, L) [var n = n], (f, base, K) [var r = $]
  call r = 'callee(n)
  return r
version base
  call r = 'callee(n)
>K:
  return r
function callee(var n)
  var g = 'value
  return g
function value(var n)
  return n
function left(var n)
version base
>L:
  return n
function seen(var n)
  return n
function guessed(var n)
  return n
function other(var n)
  call r = 'f(n)
  return r
)";

class ProgramPart : public ::testing::Test {
protected:
  ProgramPart() : program(load("t.sou", kWholeProgram, names).program) {}

  FunName function(const char* name) { return names.intern<FunName>(name); }
  std::string part(const char* name, const Feedback& feedback = {}) {
    std::string all;
    for (const Function& f : part_for(program, function(name), feedback).functions)
      all += std::string(names.text(f.name)) + " ";
    return all;
  }

  Names names;
  Program program;
};

TEST_F(ProgramPart, IsWhatIsMentioned) {
  EXPECT_EQ(part("f"), "f callee value left ");
  EXPECT_EQ(part("callee"), "callee value ");
  EXPECT_EQ(part("value"), "value ");
  EXPECT_EQ(part("other"), "f callee value left other ");
}

TEST_F(ProgramPart, HasWhatFeedbackSpeaksOf) {
  Feedback feedback;
  feedback.predicates.push_back(
      {{function("seen"), {}, {}, 0},
       Binary{BinaryOp::Eq, names.intern<Var>("n"), function("guessed")}});
  EXPECT_EQ(part("value", feedback), "value seen guessed ");
  feedback.branches.push_back({{function("callee"), {}, {}, 0}, 1, 2});
  EXPECT_EQ(part("left", feedback), "callee value left seen guessed ");
}

TEST_F(ProgramPart, GoesBackIntoTheProgram) {
  Program part = part_for(program, function("callee"), {});
  EXPECT_TRUE(with_part(program, part) == program);
  part.functions[0].versions[0].body.pop_back();
  Function added = part.functions[1];
  added.name = function("new");
  part.functions.push_back(added);
  const Program all = with_part(program, part);
  ASSERT_EQ(all.functions.size(), program.functions.size() + 1);
  EXPECT_TRUE(*find_function(all, function("callee")) == part.functions[0]);
  EXPECT_TRUE(all.functions.back() == added);
  EXPECT_TRUE(*find_function(all, function("f")) == *find_function(program, function("f")));
}

} // namespace
} // namespace sourir::native
