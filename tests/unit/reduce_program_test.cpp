// The reduction of programs by a predicate.
#include "sourir/bisim/reduce/reduce_program.h"

#include "sourir/bisim/generate/random_program.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace sourir {
namespace {

bool is_normal(const Program& program, const Names& names) {
  Diagnostics problems;
  check_wellformed(program, {}, names, problems);
  if (!problems.has_errors()) check_normal_form(program, {}, names, problems);
  return problems.empty();
}

template <class Instr>
bool has(const Program& program) {
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& stmt : v.body)
        if (std::holds_alternative<Instr>(stmt.instr)) return true;
  return false;
}

using Property = std::function<bool(const Program&)>;

Program reduced(const Program& program, const Names& names, const Property& holds,
                std::size_t together = 1) {
  ReduceOptions options;
  options.together = together;
  return reduce_program(
      program, names,
      [&](const std::vector<Program>& all) -> std::optional<std::size_t> {
        const auto found = std::ranges::find_if(all, holds);
        if (found == all.end()) return std::nullopt;
        return static_cast<std::size_t>(found - all.begin());
      },
      options);
}

TEST(ReduceProgram, TheSmallestWithAnInstruction) {
  const std::pair<Property, std::size_t> properties[] = {
      {has<Print>, 4}, {has<Branch>, 5}, {has<Call>, 5}, {has<ArrayUpdate>, 4}, {has<Assume>, 5}};
  std::size_t tried = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    Names names;
    ChoiceSequence choices(seed);
    const Program program = random_case(choices, full_policy(120), names).program;
    for (const auto& [holds, most] : properties) {
      if (!holds(program)) continue;
      ++tried;
      const Program small = reduced(program, names, holds);
      EXPECT_TRUE(holds(small));
      EXPECT_TRUE(is_normal(small, names)) << print(small, names);
      EXPECT_LE(instructions_of(small), most) << print(small, names);
    }
  }
  EXPECT_GT(tried, 50U);
}

TEST(ReduceProgram, AskingSeveralAtOnceGivesTheSame) {
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    Names names;
    ChoiceSequence choices(seed);
    const Program program = random_case(choices, full_policy(60), names).program;
    const Property holds = [](const Program& p) { return has<Assume>(p) && has<Print>(p); };
    if (holds(program)) {
      EXPECT_EQ(reduced(program, names, holds), reduced(program, names, holds, 7));
    }
  }
}

TEST(ReduceProgram, StopsWhenItIsTold) {
  Names names;
  ChoiceSequence choices(std::uint64_t{3});
  const Program program = random_case(choices, full_policy(200), names).program;
  std::atomic<bool> stop = false;
  std::uint64_t asked = 0;
  ReduceOptions options;
  options.stop = &stop;
  const Program small = reduce_program(
      program, names,
      [&](const std::vector<Program>&) -> std::optional<std::size_t> {
        stop = ++asked == 3;
        return 0;
      },
      options);
  EXPECT_EQ(asked, 3U);
  EXPECT_LT(instructions_of(small), instructions_of(program));
}

} // namespace
} // namespace sourir
