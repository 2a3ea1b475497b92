#include "tests/property/runs.h"

#include <algorithm>

namespace sourir::testing {

namespace {

Limits small_limits() {
  Limits limits;
  limits.fuel = 300'000;
  limits.heap = 1 << 26;
  limits.depth = 10'000;
  limits.array = 1'000'000;
  limits.output = 1 << 20;
  return limits;
}

Schedule schedule(std::string_view deopt, Names& names) {
  auto parsed = parse_schedule(deopt, names);
  RC_ASSERT(parsed.has_value());
  return *parsed;
}

} // namespace

Setting::Setting(Case& c, const Program& program, std::string_view deopt)
    : linked_(program, c.names), input_(c.random.inputs, c.names),
      schedule_(schedule(deopt, c.names)), limits_(small_limits()) {
  RC_ASSERT(resolve(schedule_, linked_).has_value());
}

std::string Ran::observed() const {
  switch (kind) {
  case OutcomeKind::Stop: return printed + "stop " + result;
  case OutcomeKind::Stuck: return printed + "stuck: " + sourir::name_of(reason);
  case OutcomeKind::Limit:
  case OutcomeKind::Interrupted: break;
  }
  return printed + "a limit";
}

Ran run(Case& c, const Program& program, std::string_view deopt) {
  Setting setting(c, program, deopt);
  Config config = setting.start();
  Ran ran;
  RunHooks hooks;
  hooks.statistics = &ran.statistics;
  hooks.print = [&](std::string_view line) {
    ran.printed += line;
    ran.printed += '\n';
  };
  const Outcome outcome = sourir::run(config, hooks);
  ran.kind = outcome.kind;
  ran.reason = outcome.reason;
  if (outcome.kind == OutcomeKind::Stop)
    ran.result = show(outcome.result, config.heap, c.names, 10'000);
  return ran;
}

namespace {

// The line where two texts part, with what stands before it left out.
std::string difference(std::string_view one, std::string_view other) {
  const auto parting = std::ranges::mismatch(one, other).in1 - one.begin();
  const std::size_t line = one.substr(0, static_cast<std::size_t>(parting)).rfind('\n') + 1;
  const auto shown = [line](std::string_view text) {
    return std::string(text.substr(line, text.find('\n', line) - line));
  };
  const auto number = 1 + std::ranges::count(one.substr(0, line), '\n');
  return "line " + std::to_string(number) + " is\n  " + shown(one) + "\nand\n  " + shown(other);
}

} // namespace

void must_agree(const Ran& one, const Ran& other, const std::string& what) {
  if (one.conclusive() && other.conclusive() && one.observed() != other.observed())
    RC_FAIL(what + ": " + difference(one.observed(), other.observed()));
}

} // namespace sourir::testing
