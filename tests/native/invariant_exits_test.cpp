// Checks that leave loops (llvm_passes.h): what the optimized code looks like, and what it does.
#include "tests/native/compiled.h"

#include <gtest/gtest.h>

#include <regex>

namespace sourir::testing {
namespace {

// Of LLVM code: the blocks that branch to themselves.
std::vector<std::string> loops_of_one_block(const std::string& code) {
  static const std::regex block(R"(^([\w.]+):[^\n]*\n(?:  [^\n]*\n)+)", std::regex::multiline);
  std::vector<std::string> found;
  for (std::sregex_iterator i(code.begin(), code.end(), block), end; i != end; ++i)
    if (std::regex_search(i->str(), std::regex("br .*label %" + i->str(1) + "(?![\\w.])")))
      found.push_back(i->str());
  return found;
}

// The check of the storage leaves the loop, then that of the length, then the address of the
// elements, then the element: it stays in a register.
TEST(Loops, KeepAnElementInARegister) {
  Compiled c(R"(
  return 0
function f(var a, var n)
version opt
  assume [(a is array), (n is int)] else (f, base, next) [var a = a, var n = n, var i = nil]
  var i = 0
  goto loop
loop:
  branch (i < n) $body $end
$body:
  assume [(a is int[])] else (f, base, next) [var a = a, var n = n, var i = i]
  var x = a[0]
  var t = (x * 4)
  var y = (t + 1)
  drop t
  drop x
  a[0] <- y
  drop y
  i <- (i + 1)
  goto loop
$end:
  return a
version base
  var i = nil
>next:
  stop
)",
             {.level = 2});
  const auto bodies = loops_of_one_block(c.show("f", native::NativeCompiler::Form::Optimized));
  EXPECT_FALSE(bodies.empty());
  for (const std::string& body : bodies) {
    EXPECT_EQ(body.find(" load "), std::string::npos) << body;
    EXPECT_EQ(body.find("store "), std::string::npos) << body;
  }

  const Value a = c.array({integer(1)});
  c.call("f", {a, integer(3)});
  EXPECT_EQ(native::Heap::load(native::array_of(a), 0), integer(85));
  EXPECT_TRUE(c.exits.empty());
  c.call("f", {c.array({Value(0.5)}), integer(0)}); // its loop does not look
  EXPECT_TRUE(c.exits.empty());
  c.call("f", {c.array({Value(0.5)}), integer(3)});
  ASSERT_EQ(c.exits.size(), 1U);
  EXPECT_EQ(c.exits[0].slots[2], integer(0));
}

// A divisor that only the outer loop changes is compared with 0 in front of the inner loop, where
// that is a case of a switch, too. The inner loop then has one exit, and is unrolled.
TEST(Loops, TestADivisorInFrontOfTheInnerLoop) {
  Compiled c(R"(
  return 0
function f(var a, var count)
version opt
  assume [(a is array), (count is int)] else (f, base, next) [var a = a, var count = count, var i = nil, var s = nil]
  var i = 1
  var s = 0
  goto outer
outer:
  branch (i < count) $outer_body $end
$outer_body:
  var n = a[0]
  assume [(n is int)] else (f, base, next) [var a = a, var count = count, var i = i, var s = s]
  var p = 1
  var k = 0
  goto inner
inner:
  branch (k < i) $inner_body $inner_end
$inner_body:
  p <- (p * i)
  p <- (p % n)
  k <- (k + 1)
  goto inner
$inner_end:
  s <- (s + p)
  drop k
  drop p
  drop n
  i <- (i + 1)
  goto outer
$end:
  return s
version base
  var i = nil
  var s = nil
>next:
  stop
)",
             {.level = 2});
  const std::string code = c.show("f", native::NativeCompiler::Form::Optimized);
  EXPECT_NE(code.find("srem"), std::string::npos) << code;
  EXPECT_EQ(code.find("i64 0, label %bailout"), std::string::npos) << code;

  const Value a = c.array({integer(7), Value()});                      // boxed
  EXPECT_EQ(c.call("f", {a, integer(6)}), integer(1 + 4 + 6 + 4 + 3)); // i to the i, modulo 7
  EXPECT_TRUE(c.exits.empty());
  c.call("f", {c.array({integer(0), Value()}), integer(6)});
  ASSERT_EQ(c.exits.size(), 1U);
  EXPECT_EQ(c.exits[0].by, "bailout");
}

} // namespace
} // namespace sourir::testing
