// The shape of the semantics: a partial function of configurations, with an exact inverse.
#include "sourir/semantics/history.h"
#include "tests/property/properties.h"
#include "tests/property/runs.h"

#include <algorithm>

namespace sourir::testing {

namespace {

constexpr std::uint64_t kLookedAt = 2'000; // steps of a run
constexpr std::uint64_t kUndone = 400;

// Of the rows for an instruction at most one applies; where none does, the configuration is stuck
// for a listed reason or at a limit.
void look_at(const Config& c) {
  std::size_t apply = 0;
  const RuleRow* row = nullptr;
  StuckReason why = StuckReason::None;
  Limit limit = Limit::None;
  for (const RuleRow& r : rules_for(c.instr().index())) {
    const Derivation d = r.rule(c);
    RC_ASSERT(index_of(r) < kRuleCount);
    RC_ASSERT(!d || (d.why == StuckReason::None && d.limit == Limit::None));
    if (d) ++apply, row = &r;
    if (d.why != StuckReason::None) why = d.why;
    if (d.limit != Limit::None) limit = d.limit;
  }
  RC_ASSERT(apply <= 1U);
  RC_ASSERT(next(c).rule == row);
  if (apply == 0) RC_ASSERT(why != StuckReason::None || limit != Limit::None);
}

void check_status(const Config& c, const StepResult& result, std::uint64_t steps_before) {
  const bool stepped =
      result.status == StepStatus::Stepped || (result.status == StepStatus::Stopped && result.rule);
  RC_ASSERT(c.steps == steps_before + (stepped ? 1 : 0));
  RC_ASSERT(stepped == (result.rule != nullptr));
  RC_ASSERT((result.status == StepStatus::Stopped) == c.stopped());
  RC_ASSERT((result.status == StepStatus::Stuck) == (result.why != StuckReason::None));
  RC_ASSERT((result.status == StepStatus::AtLimit) == (result.limit != Limit::None));
}

} // namespace

void one_rule_applies(Case& c) {
  Setting setting(c, c.random.program, c.random.deopt);
  Config config = setting.start();
  std::string printed;
  while (!config.stopped() && config.steps < kLookedAt) {
    look_at(config);
    const std::uint64_t before = config.steps;
    const StepResult result = step(config, printed);
    check_status(config, result, before);
    if (result.status != StepStatus::Stepped) break;
  }
}

// A step, back, and the same step again; and in the end all the way back.
void undo_is_exact(Case& c) {
  Setting setting(c, c.random.program, c.random.deopt);
  const Config first = setting.start();
  Config config = first;
  std::vector<Undo> done;
  std::string printed;
  while (!config.stopped() && done.size() < kUndone) {
    const Config before = config;
    Undo record;
    const StepResult result = step(config, printed, &record);
    if (!result.rule) {
      RC_ASSERT(same_state(config, before));
      break;
    }
    const Config after = config;
    undo(config, std::move(record));
    RC_ASSERT(same_state(config, before));
    RC_ASSERT(config.heap.bytes == before.heap.bytes);
    Undo again;
    RC_ASSERT(step(config, printed, &again).rule == result.rule);
    RC_ASSERT(same_state(config, after));
    done.push_back(std::move(again));
  }
  for (; !done.empty(); done.pop_back()) undo(config, std::move(done.back()));
  RC_ASSERT(same_state(config, first));
  RC_ASSERT(config.heap.bytes == first.heap.bytes);
}

void history_goes_anywhere(Case& c) {
  Setting setting(c, c.random.program, c.random.deopt);
  setting.limits().fuel = kUndone;
  History history(setting.start());
  std::vector<Config> states = {history.config()};
  std::vector<std::string> outputs = {history.output()};
  for (;;) {
    const std::uint64_t before = history.steps();
    const StepResult result = history.forward();
    if (history.steps() == before) break;
    states.push_back(history.config());
    outputs.push_back(history.output());
    if (result.status != StepStatus::Stepped) break;
  }
  const auto here = [&](std::uint64_t n) {
    RC_ASSERT(history.steps() == n);
    RC_ASSERT(same_state(history.config(), states[n]));
    RC_ASSERT(history.output() == outputs[n]);
  };
  std::uint64_t random = c.number;
  for (int i = 0; i < 12; ++i) {
    const std::uint64_t n = next_random(random) % (states.size() + 2); // also beyond the end
    history.go(n);
    here(std::min<std::uint64_t>(n, states.size() - 1));
    const std::uint64_t at = history.steps();
    RC_ASSERT(history.back() == (at > 0));
    here(at > 0 ? at - 1 : 0);
  }
  history.go(0);
  here(0);
  RC_ASSERT(!history.back());
}

void repeatable(Case& c) {
  const Ran one = run(c, c.random.program, c.random.deopt);
  const Ran other = run(c, c.random.program, c.random.deopt);
  RC_ASSERT(one.observed() == other.observed());
  RC_ASSERT(one.statistics.rules == other.statistics.rules);
  RC_ASSERT(one.statistics.steps == other.statistics.steps);
  RC_ASSERT(one.statistics.heap_bytes == other.statistics.heap_bytes);
  std::uint64_t fired = 0;
  for (const std::uint64_t n : one.statistics.rules) fired += n;
  RC_ASSERT(fired == one.statistics.steps);
}

} // namespace sourir::testing
