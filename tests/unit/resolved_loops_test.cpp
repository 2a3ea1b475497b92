// The loops of resolved versions, in common and in unusual layouts.
#include "sourir/semantics/resolved_loops.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir {
namespace {

// By label: of function f(c), from its start.
struct Found {
  explicit Found(const std::string& body)
      : running("function main()\n  stop\nfunction f(var c)\n" + body) {
    for (const auto& fun : functions())
      if (fun->parameters == 1) code = fun;
    loops = ResolvedLoops(*code, 0, std::vector<bool>(code->instrs.size(), true));
  }
  std::vector<const ResolvedVersion*> functions() {
    std::vector<const ResolvedVersion*> all;
    for (const char* name : {"main", "f"})
      all.push_back(
          running.program().function(running.names().intern<FunName>(name))->dispatch.front());
    return all;
  }
  Pc at(const char* label) { return code->positions.at(running.names().intern<Label>(label)); }
  Pc loop(const char* label) { return loops.at(at(label)); }

  testing::Running running;
  const ResolvedVersion* code = nullptr;
  ResolvedLoops loops;
};

TEST(ResolvedLoops, OneWithinAnother) {
  Found f("  goto A\nA:\n  branch c $a $end\n$a:\n  goto B\nB:\n  branch c $b $out\n$b:\n  goto B\n"
          "$out:\n  goto A\n$end:\n  return 0\n");
  EXPECT_EQ(f.loops.at(0), kNoLoop);
  EXPECT_EQ(f.loop("a"), f.at("A"));
  EXPECT_EQ(f.loop("out"), f.at("A"));
  EXPECT_EQ(f.loop("b"), f.at("B"));
  EXPECT_EQ(f.loops.parent(f.at("B")), f.at("A"));
  EXPECT_EQ(f.loops.parent(f.at("A")), kNoLoop);
  EXPECT_TRUE(f.loops.lies_in(f.at("B"), f.at("A")) && f.loops.lies_in(f.at("A"), kNoLoop));
  EXPECT_FALSE(f.loops.lies_in(f.at("A"), f.at("B")));
  EXPECT_EQ(f.loop("end"), kNoLoop);
  EXPECT_EQ(f.loops.common(f.at("b"), f.at("out")), f.at("A"));
  EXPECT_EQ(f.loops.common(f.at("b"), f.at("end")), kNoLoop);
}

// What jumps back in the text is not where the walk closes the loop.
TEST(ResolvedLoops, TestedAtItsEnd) {
  Found f("  goto M\nL:\n  print c\n  goto M\nM:\n  branch c $go $end\n$go:\n  goto L\n$end:\n"
          "  return 0\n");
  EXPECT_EQ(f.loops.at(0), kNoLoop);
  EXPECT_EQ(f.loop("L"), f.at("M"));
  EXPECT_EQ(f.loops.common(f.at("go"), f.at("L")), f.at("M"));
  EXPECT_EQ(f.loop("end"), kNoLoop);
}

TEST(ResolvedLoops, AJumpBackThatIsNoBackEdge) {
  Found f("  goto start\nfail:\n  return 1\nstart:\n  branch c $good $bad\n$bad:\n  goto fail\n"
          "$good:\n  return 0\n");
  for (const char* label : {"fail", "start", "bad", "good"}) EXPECT_EQ(f.loop(label), kNoLoop);
  EXPECT_EQ(f.loops.common(f.at("bad"), f.at("fail")), kNoLoop);
}

TEST(ResolvedLoops, TwoWaysIn) {
  Found f(
      "  branch c $a $b\n$a:\n  goto A\n$b:\n  goto B\nA:\n  branch c $toB $end\n$toB:\n  goto B\n"
      "B:\n  goto A\n$end:\n  return 0\n");
  EXPECT_NE(f.loop("A"), kNoLoop);
  EXPECT_EQ(f.loop("A"), f.loop("B"));
  EXPECT_EQ(f.loop("end"), kNoLoop);
}

TEST(ResolvedLoops, WhatIsNotReachedIsInNone) {
  Found f("  goto A\nA:\n  branch c $a $end\n$a:\n  goto A\n$end:\n  return 0\n");
  std::vector<bool> reached(f.code->instrs.size(), true);
  reached[f.at("a")] = false;
  EXPECT_EQ(ResolvedLoops(*f.code, 0, reached).at(f.at("A")), kNoLoop);
}

// Neither recursion nor more than linear work.
TEST(ResolvedLoops, FiftyThousandOfThem) {
  std::string body;
  constexpr int kLoops = 50'000;
  for (int k = 0; k < kLoops; ++k) {
    const std::string n = std::to_string(k);
    body += "  goto H" + n + "\nH" + n + ":\n  branch c $B" + n + " $E" + n + "\n$B" + n +
            ":\n  goto H" + n + "\n$E" + n + ":\n";
  }
  Found f(body + "  return 0\n");
  EXPECT_EQ(f.loop("B0"), f.at("H0"));
  EXPECT_EQ(f.loop("B49999"), f.at("H49999"));
}

} // namespace
} // namespace sourir
