// Relinking: the exits of an optimized version enter the running program, which stays unchanged.
#include "sourir/semantics/link.h"

#include "sourir/passes/run_pipeline.h"
#include "tests/unit/running.h"

#include <gtest/gtest.h>

namespace sourir {
namespace {

constexpr const char* kFib = R"(function main()
  call x = 'fib(7)
  print x
  stop
function fib(var n)
  branch (n < 2) $small $large
$small:
  return n
$large:
  call a = 'fib((n - 1))
  call b = 'fib((n - 2))
  return (a + b)
)";

struct Relinked {
  testing::Running running{kFib};
  std::optional<OptimizedFunction> optimized;
  std::unique_ptr<LinkedProgram> linked;
  std::vector<std::unique_ptr<ResolvedVersion>> streams;

  explicit Relinked(const std::vector<std::pair<Pc, const char*>>& ints) {
    Names& names = running.names();
    const FunName fib = names.intern<FunName>("fib");
    Feedback feedback;
    for (const auto& [pc, x] : ints)
      feedback.predicates.push_back({{fib, names.intern<VerName>("anon"), std::nullopt, pc},
                                     KindTest{names.intern<Var>(x), Kind::Int}});
    optimized = optimize_function(running.program().source(), fib, feedback,
                                  std::get<Pipeline>(parse_pipeline("O2")), names);
    if (!optimized) return;
    linked = std::make_unique<LinkedProgram>(optimized->program, names);
    streams = relink_exits(*linked->function(fib)->dispatch.front(), running.program());
  }
};

TEST(RelinkExits, ExitsEnterTheRunningProgram) {
  const Relinked a({{0, "n"}, {3, "a"}, {4, "b"}});
  ASSERT_EQ(a.streams.size(), 1U);
  const ResolvedVersion& code = *a.streams.front();
  const ResolvedVersion* const base = a.running.program().function(code.function)->dispatch.front();
  std::vector<std::pair<Pc, std::size_t>> exits; // where to, and how many variables
  for (const resolved::Instr& i : code.instrs)
    if (const auto* const assume = std::get_if<resolved::Assume>(&i)) {
      EXPECT_EQ(assume->exit.frame.code, base);
      exits.emplace_back(assume->exit.frame.pc, assume->exit.frame.varmap.size());
      for (const resolved::Entry& e : assume->exit.frame.varmap)
        EXPECT_LT(e.name, base->slots.size());
    }
  EXPECT_EQ(exits, (std::vector<std::pair<Pc, std::size_t>>{{0, 1}, {3, 2}, {4, 3}}));
}

TEST(RelinkExits, TheProgramItselfIsNotTouched) {
  const Relinked a({{0, "n"}});
  ASSERT_TRUE(a.optimized);
  const LinkedProgram& running = a.running.program();
  EXPECT_EQ(running.function(a.streams.front()->function)->versions.size(), 1U);
}

} // namespace
} // namespace sourir
