// Lock-step checks that start at a call with given arguments and heap (state_entry.h).
#include "sourir/bisim/state_entry.h"

#include "sourir/bisim/call_drivers.h"
#include "tests/unit/lockstep_fixture.h"
#include "tests/unit/running.h"

#include <limits>

namespace sourir::testing {
namespace {

class StateEntry : public LockstepFixture {
protected:
  // What the program prints when `f` is called so.
  std::string prints(const std::string& f, const std::vector<Value>& arguments) {
    const Program base = program("stop 0\n" + f);
    const auto made = with_main(
        base, call_with_values(names.intern<FunName>("f"), arguments, heap, names), names);
    if (!made) return "no main";
    Running running(print(*made, names));
    std::string out;
    Config c = running.start();
    run(c, {.print = [&](std::string_view line) { out.append(line).append("\n"); }});
    return out;
  }

  Heap heap;
};

TEST_F(StateEntry, AliasesCyclesAndFloatsThatAreNoLiterals) {
  const Value inner(heap.allocate({Value(std::int64_t{1})}));
  const Value outer(heap.allocate({inner, inner, Value(), Value(true)}));
  heap.blocks[outer.as_array().index][2] = outer;
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(prints("function f(var a, var b, var c, var d, var e)\n"
                   "  var i = a[0]\n  i[0] <- 7\n  print a\n  var same = (i == b)\n  print same\n"
                   "  print c\n  print d\n  print e\n  return nil\n",
                   {outer, inner, Value(-inf), Value(inf), Value(inf - inf)}),
            "[[7], [7], [...], true]\ntrue\n-inf\ninf\nnan\nnil\n[[7], [7], [...], true]\n[7]\n");
}

TEST_F(StateEntry, LongArraysAreCut) {
  const Value array(
      heap.allocate(std::vector<Value>(kEnteredElements + 5, Value(std::int64_t{1}))));
  const Value other(heap.allocate({Value(true)}));
  EXPECT_EQ(prints("function f(var a, var b)\n  var n = length(a)\n  print n\n  var m = length(b)\n"
                   "  print m\n  stop n\n",
                   {array, other}),
            std::to_string(kEnteredElements) + "\n0\n");
}

TEST_F(StateEntry, AWrongVersionIsFoundWithTheValuesThatTellOnly) {
  const Program input = program("stop 0\nfunction f(var n)\nversion base\n  return (n + 1)\n");
  const Program output = program("stop 0\nfunction f(var n)\nversion fast\n"
                                 "  branch (n == 5) $a $b\n$a:\n  return 0\n$b:\n  return (n + 1)\n"
                                 "version base\n  return (n + 1)\n");
  const FunName f = names.intern<FunName>("f");
  const auto with = [&](std::int64_t n) {
    const std::vector<Value> arguments{Value(n)};
    return check_call(input, output, {}, f, arguments, heap, options, names);
  };
  EXPECT_EQ(with(4)->agreement, Agreement::Equivalent);
  EXPECT_EQ(with(5)->agreement, Agreement::Different);
  EXPECT_NE(with(5)->report.find("call result = 'f(5)"), std::string::npos) << with(5)->report;
}

TEST_F(StateEntry, MainCannotBeCalledSo) {
  const Program input = program("stop 0\n");
  EXPECT_FALSE(
      check_call(input, input, {}, names.intern<FunName>("main"), {}, heap, options, names));
}

} // namespace
} // namespace sourir::testing
