// Exits where guards hold and calls of any version change nothing that can be observed (assumption
// transparency and version equivalence, dissertation 2.4): the generator makes such programs, and
// the semantics must agree.
#include "sourir/analysis/call_graph.h"
#include "sourir/analysis/facts_at.h"
#include "sourir/analysis/static_context.h"
#include "sourir/semantics/current_context.h"
#include "tests/property/properties.h"
#include "tests/property/runs.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir::testing {

namespace {

std::vector<std::string> schedules(const Case& c) {
  return {"always",
          "every:2",
          "every:3",
          "calls",
          c.random.deopt,
          fmt::format("p:0.5:{}", c.number % 1000),
          fmt::format("p:0.1:{}", c.number % 1000)};
}

// The call that was just made entered a version whose context holds. Unless the schedule chose, no
// earlier one has a context that does.
void check_entered(const Config& c, bool chosen) {
  const Function& function = *find_function(c.program->source(), c.code->function);
  const std::span<const Value> arguments(c.env(), function.params.size());
  const Context current = current_context(arguments, c.heap);
  bool before = true;
  for (const Version& v : function.versions) {
    if (v.cont) continue;
    const Context context = context_of(function, v);
    const bool here = v.name == c.code->version;
    if (here) RC_ASSERT(holds(context, function.params, arguments, c.heap));
    if (here && context.opaque().empty()) RC_ASSERT(entails(current, context));
    if (here) before = false;
    if (before && !chosen) RC_ASSERT(!entails(current, context));
  }
}

// Another version of each function goes first, where there is one. Contexts stay in front of
// what they are special cases of, and continuations are entered by exits only.
Program with_other_versions(const Case& c) {
  Program program = c.random.program;
  std::uint64_t random = c.number;
  for (Function& f : program.functions) {
    std::vector<std::size_t> plain;
    for (std::size_t v = 0; v < f.versions.size(); ++v)
      if (!f.versions[v].cont && f.versions[v].when.empty()) plain.push_back(v);
    if (!f.implicit)
      std::swap(f.versions[plain.front()], f.versions[plain[next_random(random) % plain.size()]]);
  }
  return program;
}

const Function& callee_of(const Case& c, const Config& entered) {
  return *find_function(c.random.program, entered.code->function);
}

// `entered`: just after the call.
void check_static_context(const Config& entered, const StaticContext& known) {
  const Function& callee = known.callee();
  const auto arguments = std::span(entered.env(), callee.params.size());
  RC_ASSERT(entails(current_context(arguments, entered.heap), known.context()));
  const Version* const first = known.entered();
  RC_ASSERT(first == nullptr || first == entered.code->source);
  for (const Version& version : callee.versions) {
    if (version.cont) continue;
    const bool holds_now =
        holds(context_of(callee, version), callee.params, arguments, entered.heap);
    RC_ASSERT(holds_now || !known.open_guards(version).empty());
    RC_ASSERT(!holds_now || !known.excludes(version));
  }
}

} // namespace

void any_schedule(Case& c) {
  const Ran never = run(c, c.random.program, "never");
  if (c.policy.errors == 0) RC_ASSERT(never.kind != OutcomeKind::Stuck);
  for (const std::string& deopt : schedules(c))
    must_agree(never, run(c, c.random.program, deopt), "--deopt=" + deopt);
}

void each_exit(Case& c) {
  const Ran never = run(c, c.random.program, "never");
  const std::uint64_t n = std::min<std::uint64_t>(never.statistics.opportunities, 24);
  for (std::uint64_t k = 1; k <= n; ++k) {
    const std::string deopt = fmt::format("at:{}", k);
    const Ran once = run(c, c.random.program, deopt);
    must_agree(never, once, "--deopt=" + deopt);
    RC_ASSERT(once.statistics.forced == 1U);
  }
}

// As many exits are taken as the schedule asks for: of the opportunities that the run had.
void injected_is_observed(Case& c) {
  const auto check = [&](const std::string& deopt, auto expected) {
    const Statistics s = run(c, c.random.program, deopt).statistics;
    RC_ASSERT(s.forced == expected(s.opportunities));
    std::uint64_t forced = 0, possible = 0;
    for (const RuleRow& row : all_rules()) {
      const std::uint64_t n = s.rules[index_of(row)];
      if (row.forced()) forced += n;
      if (row.forced() || row.rule == rules::AnchorPass) possible += n;
    }
    RC_ASSERT(forced == s.forced);
    RC_ASSERT(possible <= s.opportunities);
  };
  using N = std::uint64_t;
  check("never", [](N) { return N{0}; });
  check("always", [](N n) { return n; });
  for (const N k : {1, 2, 3, 7}) check(fmt::format("every:{}", k), [k](N n) { return n / k; });
  for (const N k : {1, 4, 9})
    check(fmt::format("at:{},{}", k, k + 2), [k](N n) { return N{n >= k} + N{n >= k + 2}; });
  const N seed = c.number % 1000;
  check(fmt::format("p:1:{}", seed), [](N n) { return n; });
  check(fmt::format("p:0:{}", seed), [](N) { return N{0}; });
}

// Theorem 3: dispatch enters versions whose context holds.
void entered_where_the_context_holds(Case& c) {
  constexpr std::uint64_t kSteps = 2'000;
  const std::string any = fmt::format("enter:any:{}", c.number % 1000);
  for (const std::string& schedule : {std::string("never"), any}) {
    Setting setting(c, c.random.program, schedule);
    Config config = setting.start();
    std::string printed;
    while (config.steps < kSteps) {
      const StepResult result = step(config, printed);
      if (result.status != StepStatus::Stepped) break;
      if (result.rule->rule == rules::Call) check_entered(config, schedule == any);
    }
  }
}

// What the facts before a call say about its context holds for the call itself.
void static_contexts_hold(Case& c) {
  constexpr std::uint64_t kSteps = 2'000;
  ProgramAnalyses analyses(c.random.program);
  Setting setting(c, c.random.program, "never");
  Config config = setting.start();
  std::string printed;
  while (config.steps < kSteps) {
    const ResolvedVersion& caller = *config.code;
    const Pc at = config.pc;
    if (step(config, printed).status != StepStatus::Stepped) break;
    const auto& body = caller.source->body;
    const auto* const call = at < body.size() ? std::get_if<Call>(&body[at].instr) : nullptr;
    if (call == nullptr || constant_callee(*call) == nullptr) continue;
    const Function& function = *find_function(c.random.program, caller.function);
    FactsAt facts(analyses.of(function, *caller.source));
    const Facts* const before = facts.before(at);
    RC_ASSERT(before != nullptr);
    check_static_context(config, StaticContext(*call, callee_of(c, config), *before));
  }
}

void any_version_may_be_entered(Case& c) {
  const Ran never = run(c, c.random.program, "never");
  const Program other = with_other_versions(c);
  must_agree(never, run(c, other, "never"), "with other active versions");
}

void any_schedule_from_any_version(Case& c) {
  const Ran never = run(c, c.random.program, "never");
  const Program other = with_other_versions(c);
  for (const std::string& deopt : schedules(c))
    must_agree(never, run(c, other, deopt), "with other active versions, --deopt=" + deopt);
}

} // namespace sourir::testing
