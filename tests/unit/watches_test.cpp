// Watched guards in the reference: when they are tested, which stores make a watch fall, where the
// frame leaves, and which guards may be watched at all.
#include "tests/unit/running.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace sourir::testing {
namespace {

using Lines = std::vector<std::string>;

// f is entered with a[0] == true; `loop` is what the head of its loop has, `store` what the second
// of three iterations does.
std::string program(std::string_view head, std::string_view store) {
  return fmt::format(R"(
function main()
array a = [true, true]
array other = [true, true]
call x = 'f(a, a, other)
print x
stop
function f(var a, var b, var other)
version fast
var i = 0
goto loop
loop:
{}
branch (i < 3) $body $done
$body:
>guard:
assume [a[0]] else (f, base, L) [var a = a, var b = b, var other = other, var i = i]
i <- (i + 1)
branch (i == 2) $store $next
$store:
{}
goto loop
$next:
goto loop
$done:
return i
version base
var i = 0
goto loop
loop:
>H:
branch (i < 3) $body $done
$body:
>L:
branch a[0] $same $changed
$changed:
return "changed"
$same:
i <- (i + 1)
branch (i == 2) $store $next
$store:
{}
goto loop
$next:
goto loop
$done:
return i
function g(var c)
c[0] <- false
return 1
)",
                     head, store, store);
}

constexpr std::string_view kAnchor =
    "anchor else (f, base, H) [var a = a, var b = b, var other = other, var i = i]";

std::uint64_t steps_by(const Running& r, std::string_view rule) {
  const auto rows = all_rules();
  const auto found = std::ranges::find(rows, rule, &RuleRow::name);
  return r.statistics.rules[index_of(*found)];
}

struct Expected {
  std::uint64_t tested = 0, invalidated = 0;
  std::string printed;
};

void expect_watched(const std::string& text, const Expected& expected) {
  Running r(text, {}, "watch:at:f.fast.guard");
  r.run();
  EXPECT_EQ(r.lines, Lines{expected.printed});
  EXPECT_EQ(steps_by(r, "AssumeWatch"), expected.tested);
  EXPECT_EQ(steps_by(r, "AnchorInvalidate"), expected.invalidated);
}

TEST(Watches, AGuardIsTestedOnce) {
  expect_watched(program(kAnchor, "b[1] <- false"), {1, 0, "3"});
}

TEST(Watches, AStoreThroughAnotherNameMakesThemFall) {
  expect_watched(program(kAnchor, "b[0] <- false"), {1, 1, "\"changed\""});
}

TEST(Watches, AStoreOfTheSameValueDoesNot) {
  expect_watched(program(kAnchor, "b[0] <- true"), {1, 0, "3"});
}

TEST(Watches, AStoreIntoAnotherArrayDoesNot) {
  expect_watched(program(kAnchor, "other[0] <- false"), {1, 0, "3"});
}

TEST(Watches, WhatHasFallenStaysFallen) {
  expect_watched(program(kAnchor, "b[0] <- false\nb[0] <- true"), {1, 1, "3"});
}

TEST(Watches, AStoreOfACalleeMakesThemFall) {
  expect_watched(program(kAnchor, "call r = 'g(b)\ndrop r"), {1, 1, "\"changed\""});
}

TEST(Watches, AnotherArrayIsTestedAgain) {
  expect_watched(program(kAnchor, "a <- other"), {2, 0, "3"});
}

TEST(Watches, WithoutAnInvalidationPointTheGuardMustBeTested) {
  EXPECT_THROW(Running(program("", "b[0] <- false"), {}, "watch:at:f.fast.guard"),
               std::runtime_error);
  Running all(program("", "b[0] <- false"), {}, "watch:always");
  all.run();
  EXPECT_EQ(all.lines, Lines{"\"changed\""});
  EXPECT_EQ(steps_by(all, "AssumeWatch"), 0U);
  EXPECT_EQ(steps_by(all, "AssumeDeopt"), 1U);
}

TEST(Watches, WithoutAWriteNoInvalidationPointIsNeeded) {
  expect_watched(program("", "b[1] <- false"), {1, 0, "3"});
}

// Stepping back gives the watches back, whatever changed them.
TEST(Watches, HistoryGoesBack) {
  for (const std::string_view store :
       {"b[0] <- false", "call r = 'g(b)\ndrop r", "a <- other", "b[0] <- false\nb[0] <- true"}) {
    Running r(program(kAnchor, store), {}, "watch:always");
    History history(r.start());
    std::vector<Config> states{history.config()};
    while (history.forward().status == StepStatus::Stepped) states.push_back(history.config());
    for (std::size_t n = states.size(); n-- > 0;) {
      ASSERT_TRUE(history.back() || n == 0);
      ASSERT_TRUE(same_state(history.config(), states[n])) << store << ", step " << n;
    }
  }
}

} // namespace
} // namespace sourir::testing
