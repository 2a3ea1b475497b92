// What an outcome of one comparison says about another, against the values of both: every pair of
// comparisons with a few numbers, every outcome, on integers, floats, a NaN and other values.
#include "sourir/analysis/guards.h"
#include "sourir/analysis/version_analyses.h"
#include "sourir/semantics/primop.h"
#include "tests/unit/reading.h"

#include <gtest/gtest.h>

namespace sourir {
namespace {

using testing::Reading;

std::vector<std::string> comparisons() {
  std::vector<std::string> texts;
  for (const std::string number :
       {"3", "4", "3.0", "3.5", "-0.0", "9007199254740993", "9007199254740992.0", "true"})
    for (const std::string op : {"<", "<=", ">", ">=", "==", "!="})
      for (const bool first : {true, false})
        texts.push_back(first ? "(x " + op + " " + number + ")" : "(" + number + " " + op + " x)");
  return texts;
}

std::vector<Value> values() {
  const Value huge = to_value(Float{1e308});
  const Value infinite = apply_binary(BinaryOp::Add, huge, huge).value;
  std::vector<Value> all = {infinite, apply_binary(BinaryOp::Sub, infinite, infinite).value,
                            to_value(Nil{}), to_value(true)};
  for (const std::int64_t n : {-1, 0, 2, 3, 4, 5}) all.push_back(to_value(n));
  for (const std::int64_t n : {2, 3, 4}) all.push_back(to_value((std::int64_t{1} << 53) + n - 2));
  for (const double f : {-0.0, 2.5, 3.0, 3.25, 3.5, 4.0, 9007199254740992.0, 9007199254740994.0})
    all.push_back(to_value(Float{f}));
  return all;
}

// With the value for the only variable.
EvalResult on(const Expr& e, Value x) {
  const auto& binary = std::get<Binary>(e);
  const auto operand = [&](const SimpleExpr& s) {
    return match(s, [&](Var) { return x; }, [](const auto& literal) { return to_value(literal); });
  };
  return apply_binary(binary.op, operand(binary.left), operand(binary.right));
}

TEST(Guards, AnOutcomeSaysWhatHoldsForEveryValue) {
  std::string text = "function main()\n  stop\nfunction f(var x)\n";
  const auto all = comparisons();
  for (std::size_t n = 0; n < all.size(); ++n) {
    const std::string to = std::to_string(n);
    text += "  branch " + all[n] + " $a" + to + " $b" + to + "\n$a" + to + ":\n  return 1\n$b" +
            to + ":\n";
  }
  const Reading r(text + "  return 2\n");
  ASSERT_TRUE(r.found().empty());
  const Program& program = r.parsed.program;
  const Function& f = program.functions[1];
  const ExitTargets targets(program);
  VersionAnalyses analyses(program, f, r.version(1), targets);
  const Cfg& cfg = analyses.cfg();
  std::vector<std::pair<BlockId, Expr>> tests;
  for (std::uint32_t b = 0; b < cfg.blocks().size(); ++b)
    if (const Block& block = cfg.blocks()[b]; block.begin < block.end)
      if (const auto* const branch = std::get_if<Branch>(&r.version(1).body[block.end - 1].instr))
        tests.emplace_back(BlockId{b}, branch->condition);
  ASSERT_EQ(tests.size(), all.size());
  AvailableGuards guards(r.version(1), cfg, nullptr);
  Facts of_integer;
  of_integer.set(f.params[0], fact_of(Kind::Int));
  std::size_t said = 0;
  for (std::size_t known = 0; known < tests.size(); ++known)
    for (const bool holds : {true, false})
      for (const bool integer : {true, false}) {
        AvailableGuards::State state;
        guards.edge(state, tests[known].first, holds ? 0 : 1);
        for (std::size_t asked = 0; asked < tests.size(); ++asked) {
          const auto value =
              guards.value(state, tests[asked].second, integer ? of_integer : Facts{});
          said += value ? 1 : 0;
          for (const Value x : values()) {
            const EvalResult outcome = on(tests[known].second, x);
            if (!value || !outcome || outcome.value.is_true() != holds) continue;
            if (integer && kind_of(x) != Kind::Int) continue;
            const EvalResult other = on(tests[asked].second, x);
            EXPECT_TRUE(other && other.value.is_true() == *value)
                << all[known] << (holds ? "" : " is false") << ", " << all[asked];
          }
        }
      }
  EXPECT_GT(said, 3000U) << "hardly anything is implied";
}

} // namespace
} // namespace sourir
