#include "sourir/cli/campaign/campaign_engines.h"

#include "native/engine/compiler_loader.h"
#include "sourir/cli/campaign/campaign_events.h"
#include "sourir/cli/engine/engine_setup.h"
#include "sourir/cli/engine/native_run.h"
#include "sourir/cli/engine/replay_records.h"
#include "sourir/replay/replay_tiers.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>

namespace sourir {

namespace {

// stress-osr is auto with that flag, sampled with a sampler that interrupts at almost each back
// edge, instrumented the same with code for samples besides the code for speed, verified with the
// check of each optimized version, auto-jit with the pipeline jit, whose versions have no guards
// for results, deoptless with a continuation at the first exit of each context, contexts with
// versions for the contexts of all calls, replayed with both, and the reference executes the log of
// what the tiers did; events is native or auto with counts of events, which are
// compared. With -O2 LLVM optimizes every program, not some.
constexpr std::array kNames{
    std::string_view("baseline"),     std::string_view("native"),    std::string_view("auto"),
    std::string_view("stress-osr"),   std::string_view("native-O2"), std::string_view("auto-O2"),
    std::string_view("sampled"),      std::string_view("verified"),  std::string_view("auto-jit"),
    std::string_view("instrumented"), std::string_view("deoptless"), std::string_view("contexts"),
    std::string_view("replayed"),     std::string_view("events"),    std::string_view("events-O2")};

std::string engine_of(const std::string& name) {
  constexpr std::array kOfAuto{"stress-osr", "sampled",  "verified", "instrumented",
                               "deoptless",  "contexts", "replayed"};
  return std::ranges::count(kOfAuto, name) != 0 ? "auto" : name.substr(0, name.find('-'));
}

// What the tiers did, as a log that is read back.
class ReplayedLog {
public:
  ReplayedLog(const EngineInput& input, native::EngineHooks& hooks)
      : input_(input), log_(input.program, input.names, [this](const std::string& line) {
          const std::lock_guard lock(writing_);
          text_ += line;
        }) {
    log_.begin("auto", "");
    hooks.steps = [this](const native::TierStep& step) { log_.step(record_of(step)); };
  }

  void printed(std::string_view line) { log_.printed(line); }

  // Empty: the reference does the same.
  std::string difference(const native::EngineRun& ran) {
    log_.end(ran.outcome, ran.last, ran.events);
    const auto schedule = read_schedule(text_, input_.program, input_.names, outline_as_tiers);
    if (!schedule) return "the log cannot be read: " + schedule.error().message;
    Limits limits = input_.limits;
    limits.fuel *= kMoreFuel; // the log ends where the engine had no more
    Input reads(input_.reads, input_.names);
    Config c = start(input_.program, reads, input_.schedule, limits);
    TierReplay replay(*schedule, c, input_.names);
    std::atomic<bool> ends = false;
    RunHooks hooks;
    hooks.interrupt = &ends;
    hooks.print = [&](std::string_view line) { replay.printed(line); };
    hooks.trace = [&](const Config&, const StepResult& r, const ResolvedVersion* code, Pc pc) {
      if (!replay.step(r, *code, pc)) ends = true;
    };
    replay.begin();
    const Outcome outcome = sourir::run(c, hooks);
    replay.end(outcome);
    return replay.difference();
  }

private:
  static constexpr std::uint64_t kMoreFuel = 100;

  const EngineInput& input_;
  std::mutex writing_;
  std::string text_;
  ScheduleLog log_;
};

EngineAnswer run(const std::string& name, const native::CompilerFactory& compiler,
                 const EngineInput& input) {
  // Low thresholds, as programs are small; synchronous, as a case must have one result.
  TierOptions tiers{.synchronous = true, .calls = 2, .iterations = 2, .exits = 2};
  tiers.level = input.thorough || name.ends_with("-O2") ? 2 : 0;
  tiers.stress_osr = name == "stress-osr";
  if (name == "deoptless" || name == "replayed") tiers.continuations = 1, tiers.deoptless = "on";
  if (name == "auto-jit") tiers.passes = "jit";
  if (name == "auto-jit" || name == "contexts") tiers.forced_exits = "count";
  if (name == "sampled" || name == "instrumented")
    tiers.profile = {.trigger = "loop", .period = 2, .min_samples = 2, .max_samples = 8};
  if (name == "instrumented") tiers.profile.hits = 1;
  if (name == "contexts" || name == "replayed") {
    tiers.calls = tiers.context_samples = 1;
    tiers.contexts = 5;
  }
  TierVerifier verifier(true);
  native::NativeSettings settings =
      engine_settings(engine_of(name), input.limits, tiers, input.names);
  if (settings.compiler) settings.compiler = compiler;
  if (name == "verified") settings.verifier = verifier.hook();
  settings.checks_contexts = true;
  Input reads(input.reads, input.names);
  EngineAnswer answer;
  native::EngineHooks hooks;
  std::optional<ReplayedLog> log;
  if (name == "replayed") log.emplace(input, hooks);
  hooks.print = [&](std::string_view line) {
    if (log) log->printed(line);
    answer.events.push_back({Event::Kind::Print, std::string(line)});
  };
  hooks.warn = [&](std::string_view what) { answer.problem = what; };
  const native::EngineRun ran =
      native::run_engine(input.program, reads, input.schedule, settings, hooks);
  answer.events.push_back(end_event(ran, input.names));
  answer.reads = ran.statistics.reads;
  if (ran.statistics.optimized == 0) answer.forced = ran.statistics.forced;
  if (name == "verified") {
    const TriedParts& tried = verifier.tried();
    answer.counts = {{"versions", ran.statistics.verified + ran.statistics.undecided},
                     {"decided", ran.statistics.verified},
                     {"parts", tried.parts()},
                     {"parts_assumed", tried.parts_assumed},
                     {"parts_chosen", tried.parts_chosen}};
    if (ran.statistics.undecided != 0) answer.inconclusive = "undecided";
  }
  if (log) answer.problem = log->difference(ran);
  if (!verifier.report().empty()) answer.problem = verifier.report();
  if (ran.statistics.outside_context != 0)
    answer.problem = "an exit has entered a continuation whose context does not hold";
  if (ran.statistics.misplaced_versions != 0)
    answer.problem = "a version for a context is tested after one that the context entails";
  if (ran.statistics.most_exits > tiers.exits)
    answer.problem = fmt::format("code exits {} times before it is invalidated, not {}",
                                 ran.statistics.most_exits, tiers.exits);
  return answer;
}

} // namespace

Event end_event(const native::EngineRun& run, const Names& names) {
  const Outcome& o = run.outcome;
  switch (o.kind) {
  case OutcomeKind::Stop: return {Event::Kind::Stop, show(o.result, run.last.heap, names, 10'000)};
  case OutcomeKind::Stuck: return {Event::Kind::Stuck, name_of(o.reason)};
  case OutcomeKind::Limit: return {Event::Kind::Limit, name_of(o.limit)};
  case OutcomeKind::Interrupted: break;
  }
  return {Event::Kind::Limit, "interrupted"};
}

std::span<const std::string_view> engine_names() { return kNames; }

Result<std::vector<EngineRow>> engine_rows(const std::string& names) {
  std::vector<EngineRow> rows;
  const native::CompilerFactory compiler = native::one_compiler_from_library();
  for (std::size_t at = 0; at < names.size();) {
    const std::size_t comma = std::min(names.find(',', at), names.size());
    const std::string name = names.substr(at, comma - at);
    at = comma + 1;
    if (std::ranges::count(kNames, name) == 0)
      return failure("there is no engine '{}' besides the reference: {}", name,
                     fmt::join(kNames, ", "));
    if (std::string problem = engine_problem(name.find('-') == name.npos ? name : "native");
        !problem.empty())
      return failure("{}", problem);
    if (name.starts_with("events")) {
      rows.push_back({.name = name,
                      .run =
                          [=](const EngineInput& input) {
                            return check_event_counts(compiler, input,
                                                      input.thorough || name.ends_with("-O2"));
                          },
                      .makes_code = true,
                      .oracle = Oracle::EventsCounted,
                      .checks_itself = true});
      continue;
    }
    rows.push_back({name, [=](const EngineInput& input) { return run(name, compiler, input); },
                    name != "baseline"});
  }
  return rows;
}

} // namespace sourir
