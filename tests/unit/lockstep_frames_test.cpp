// The lock-step checker on stacks: exits with outer frames, return frames.
#include "tests/unit/lockstep_fixture.h"

namespace sourir {
namespace {

using testing::exit_in;
using testing::replaced;

constexpr const char* kSquares = R"(function sum_of_squares(var a, var b)
version inlined
  assume [(a is int)] else (square, base, start) [var x = a], (sum_of_squares, base, first) [var p = $, var a = a, var b = b]
  var p = (a * a)
  assume [(b is int)] else (square, base, start) [var x = b], (sum_of_squares, base, second) [var q = $, var a = a, var b = b, var p = p]
  var q = (b * b)
  return (p + q)
)";

class LockstepFrames : public testing::LockstepFixture {
protected:
  // The map of example 33's inlined version to the program without it.
  StateMap squares(const std::string& frame, const std::string& outer) {
    const auto f = names.intern<FunName>("sum_of_squares");
    VersionMap map{f, names.intern<VerName>("inlined"), {}, {}, {}};
    map.states[0] = exit_in("(square, base, start) [var x = a], (sum_of_squares, base, first) "
                            "[var p = $, var a = a, var b = b]",
                            names);
    map.states[2] = exit_in(frame + outer, names);
    map.states[4] = exit_in("(sum_of_squares, base, second) [var a = a, var b = b, var p = p, "
                            "var q = q]",
                            names);
    return {{map}};
  }
  LockstepVerdict check_squares(const StateMap& map) {
    const std::string text = example("33_outer_frame.sou");
    const std::string without =
        replaced(text, std::string(kSquares).substr(std::string(kSquares).find("version")), "");
    EXPECT_NE(without, text);
    return check(without, text, map);
  }
};

TEST_F(LockstepFrames, FramesOfInlinedCalls) {
  const std::string frame = "(square, base, start) [var x = b]";
  const auto outer = [](const std::string& p) {
    return ", (sum_of_squares, base, second) [var q = $, var a = a, var b = b, var p = " + p + "]";
  };
  EXPECT_EQ(check_squares(squares(frame, outer("p"))).agreement, Agreement::Equivalent)
      << check_squares(squares(frame, outer("p"))).report;
  EXPECT_EQ(check_squares(squares(frame, outer("a"))).agreement, Agreement::Different);
  EXPECT_EQ(check_squares(squares("(square, base, start) [var x = a]", outer("p"))).agreement,
            Agreement::Different);
  EXPECT_EQ(check_squares(squares(frame, "")).agreement, Agreement::Different);
  EXPECT_EQ(check_squares(squares(frame, outer("p") + outer("p"))).agreement, Agreement::Different);
}

TEST_F(LockstepFrames, OuterFramesThatAreExchanged) {
  const std::string text = example("34_two_outer_frames.sou");
  const std::string side = "(side, base, clamped) [var c = $, var a = a, var b = b]";
  const std::string area = "(area, base, sided) [var s = $, var a = a, var b = b]";
  const std::string exchanged = replaced(text, side + ", " + area, area + ", " + side);
  ASSERT_NE(exchanged, text);
  EXPECT_EQ(check(text, exchanged).agreement, Agreement::Different);
}

TEST_F(LockstepFrames, OuterFrameThatNobodySees) {
  const std::string text = example("fig_2_11_inlining.sou");
  const std::string wrong = replaced(text, "var pl = pl, var n = n, var vec = vec]",
                                     "var pl = pl, var n = n, var vec = pl]");
  ASSERT_NE(wrong, text);
  // vec is dead after the call, so that is allowed; s is not.
  EXPECT_EQ(check(text, wrong).agreement, Agreement::Equivalent);
  const std::string live = replaced(text, "  print s\n  stop", "  print s\n  print n\n  stop");
  const std::string lost = replaced(live, "var n = n, var vec", "var n = 5, var vec");
  ASSERT_NE(lost, live);
  EXPECT_EQ(check(live, lost).agreement, Agreement::Different);
}

TEST_F(LockstepFrames, CallSites) {
  const std::string input = R"(function main()
version base
  var x = 1
  call r = 'f(x)
  print (r + x)
  stop
function f(var a)
  print a
  var b = (a + 1)
  return b
)";
  const std::string output = replaced(replaced(input, "var x", "var z"), "'f(x)", "'f(z)");
  const auto with = [&](const std::string& frames) {
    VersionMap map{names.intern<FunName>("main"), names.intern<VerName>("base"), {}, {}, {}};
    map.identity = Place{map.function, map.version, {}, 0};
    Metadata here = exit_in("(main, base, here) [var x = z]", names);
    here.frame.target.label.reset();
    here.frame.target.offset = 1;
    map.states[1] = here;
    for (const Position at : {2, 3}) {
      here.frame.target.offset = at;
      if (at == 2)
        here.frame.varmap.push_back({names.intern<Var>("r"), SimpleExpr(names.intern<Var>("r"))});
      map.states[at] = here;
    }
    Metadata waits = exit_in("(main, base, L) [], (main, base, here) " + frames, names);
    waits.outer[0].target.label.reset();
    waits.outer[0].target.offset = 2;
    map.call_sites[1] = CallSiteFrames{waits.outer, {}};
    return check(input, replaced(output, "(r + x)", "(r + z)"), {{map}});
  };
  EXPECT_EQ(with("[var r = $, var x = z]").agreement, Agreement::Equivalent)
      << with("[var r = $, var x = z]").report;
  EXPECT_EQ(with("[var r = $, var x = 2]").agreement, Agreement::Different);
  EXPECT_EQ(with("[var r = $]").agreement, Agreement::Different);
}

} // namespace
} // namespace sourir
