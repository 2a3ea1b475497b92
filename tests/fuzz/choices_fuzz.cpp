// Any bytes as a choice sequence: a well-formed program, whatever they are, which behaves the same
// under every schedule of forced exits. Coverage guides the choice sequences to what chance does
// not reach.
#include "sourir/bisim/generate/random_program.h"
#include "tests/fuzz/fuzz_check.h"

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace sourir::fuzzing {

namespace {

constexpr std::uint32_t kSize = 120; // of the programs

struct Observed {
  std::string text;
  bool conclusive = false;
};

Observed observe(const RandomCase& random, Names& names, const std::string& deopt) {
  const LinkedProgram linked(random.program, names);
  const Schedule schedule = *parse_schedule(deopt, names);
  Limits limits;
  limits.fuel = 100'000;
  limits.heap = 1 << 24;
  limits.output = 1 << 18;
  Input input(random.inputs, names);
  Config config = start(linked, input, schedule, limits);
  Observed seen;
  RunHooks hooks;
  hooks.print = [&](std::string_view line) { seen.text.append(line) += '\n'; };
  const Outcome outcome = run(config, hooks);
  seen.conclusive = outcome.kind == OutcomeKind::Stop || outcome.kind == OutcomeKind::Stuck;
  seen.text += outcome.kind == OutcomeKind::Stop
                   ? "stop " + show(outcome.result, config.heap, names)
                   : std::string("stuck: ") + name_of(outcome.reason);
  return seen;
}

} // namespace

} // namespace sourir::fuzzing

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sourir;
  std::vector<std::uint32_t> words(size / sizeof(std::uint32_t));
  if (!words.empty()) std::memcpy(words.data(), data, words.size() * sizeof(std::uint32_t));
  Names names;
  ChoiceSequence choices(std::move(words));
  const Policy policy = random_policy(choices, fuzzing::kSize);
  const RandomCase random = random_case(choices, policy, names);
  Diagnostics problems;
  check_wellformed(random.program, {}, names, problems);
  fuzzing::require(!problems.has_errors(), "generated programs are well-formed");
  const auto never = fuzzing::observe(random, names, "never");
  for (const std::string& deopt : {std::string("always"), std::string("every:2"), random.deopt}) {
    const auto forced = fuzzing::observe(random, names, deopt);
    fuzzing::require(!never.conclusive || !forced.conclusive || never.text == forced.text,
                     "no schedule changes what a program does");
  }
  return 0;
}
