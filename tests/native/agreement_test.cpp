#include "tests/native/agreement.h"

#include "sourir/bisim/generate/random_program.h"
#include "sourir/syntax/json/load.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace sourir::testing {
namespace {

// Random programs, some of which go wrong, under schedules of exits.
void agree_on_random_programs(std::uint64_t from, std::uint64_t count, unsigned level) {
  const native::NativeSettings settings = native_settings(level);
  for (std::uint64_t seed = from; seed < from + count; ++seed) {
    ChoiceSequence choices(seed);
    Names names;
    const RandomCase random = random_case(choices, random_policy(choices, 150), names);
    const LinkedProgram program(random.program, names);
    for (const std::string& deopt : {std::string("never"), std::string("always"),
                                     std::string("p:0.1:3"), std::string("calls"), random.deopt}) {
      EngineCase engine{program, random.inputs, names};
      if (seed % 2 == 0) engine.limits.fuel = 1'000'000;
      engine.schedule = *parse_schedule(deopt, names);
      ASSERT_TRUE(resolve(engine.schedule, program).has_value());
      ASSERT_EQ(native_difference(engine, settings), "")
          << "seed " << seed << " --deopt=" << deopt << "\n"
          << print(random.program, names);
    }
  }
}

TEST(NativeAgreement, RandomProgramsFast) { agree_on_random_programs(1, 60, 0); }
TEST(NativeAgreement, RandomProgramsOptimized) { agree_on_random_programs(1000, 8, 2); }

} // namespace
} // namespace sourir::testing
