#include "sourir/cli/engine/engine_setup.h"

#include "native/engine/compiler_loader.h"
#include "native/tiering/pass_optimizer.h"
#include "native/tiering/program_part.h"
#include "sourir/cli/bench/bench_competitors.h"
#include "sourir/cli/exec_pass.h"
#include "sourir/cli/plugin_passes.h"
#include "sourir/os/output.h"
#include "sourir/passes/pipeline.h"
#include "sourir/passes/registry.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/match.h"

#include <algorithm>
#include <memory>
#include <set>
#include <sstream>

namespace sourir {
namespace {

constexpr std::uint64_t kExecSeconds = 60;                      // for each version
constexpr const char* kForRunningLoops = ",licm:loads=running"; // after the passes for all

// Whether it has passes that are not part of sourir.
bool is_foreign(const Pipeline& pipeline) {
  return std::ranges::any_of(pipeline, [](const PipelineStep& step) {
    return match(
        step.step, [](const RunPass& pass) { return pass.foreign; },
        [](const RunCommand&) { return true; },
        [](const Repeat& repeat) { return is_foreign(repeat.body); });
  });
}

// The optimizer of the tiers (native/tiering/pass_optimizer.h): applies `pipeline`, which should
// begin with fresh-version, to one function at a time; `for_loops` to the rest of one from a loop
// header on.
native::Optimizer tier_optimizer(Pipeline for_functions, Pipeline for_loops) {
  return [for_functions = std::move(for_functions), for_loops = std::move(for_loops),
          passes = std::make_shared<ExecPasses>(kExecSeconds),
          said = std::make_shared<std::set<std::string>>()](
             const native::OptimizerRequest& request) -> std::optional<native::OptimizedProgram> {
    const Pipeline& pipeline = request.running_loop ? for_loops : for_functions;
    PipelineHooks hooks;
    hooks.command = [&](const std::string& command, const PassInput& input) {
      return passes->run(command, input.program, request.names);
    };
    hooks.plugin = run_plugin_pass;
    hooks.failed = [&](const std::string& error) {
      if (said->insert(error).second)
        say(fmt::format("sourir: warning: {}; versions are made without it\n", error));
    };
    // Commands need a whole program, not a part; so do the checks of what others make.
    std::optional<Program> whole;
    if (is_foreign(pipeline)) whole = native::with_part(request.running, request.program);
    auto made =
        optimize_function(whole ? *whole : request.program, request.function, request.feedback,
                          pipeline, request.names, hooks, request.context);
    if (!made) return std::nullopt;
    return native::OptimizedProgram{std::move(made->program), std::move(made->map)};
  };
}

#ifdef SOURIR_HAVE_LLVM
constexpr bool kNativeCode = true;
#else
constexpr bool kNativeCode = false;
#endif

Pipeline without(Pipeline pipeline, std::string_view pass) {
  std::erase_if(pipeline, [&](PipelineStep& step) {
    return match(
        step.step, [&](const RunPass& run) { return run.row->name == pass; },
        [](const RunCommand&) { return false; },
        [&](Repeat& repeat) {
          repeat.body = without(std::move(repeat.body), pass);
          return repeat.body.empty();
        });
  });
  return pipeline;
}

std::uint32_t small(std::uint64_t n) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(n, 1U << 30));
}

} // namespace

namespace {

struct SpeculationKind {
  std::string_view name;
  bool native::SpeculationOptions::* on;
};
constexpr SpeculationKind kSpeculationKinds[] = {
    {"arguments", &native::SpeculationOptions::arguments},
    {"results", &native::SpeculationOptions::results},
    {"loads", &native::SpeculationOptions::loads},
    {"branches", &native::SpeculationOptions::branches},
    {"targets", &native::SpeculationOptions::targets},
    {"storage", &native::SpeculationOptions::storage},
    {"unreached", &native::SpeculationOptions::unreached},
};

std::string speculation_kinds() {
  std::string text;
  for (const SpeculationKind& kind : kSpeculationKinds)
    text.append(text.empty() ? "" : ", ").append(kind.name);
  return text;
}

// "all", "none", some kinds, or with `-` in front of each all but some.
Result<native::SpeculationOptions> speculation_options(const std::string& text) {
  native::SpeculationOptions options;
  if (text == "all") return options;
  std::istringstream words(text);
  std::vector<std::string> parts;
  for (std::string part; std::getline(words, part, ',');) parts.push_back(part);
  const auto removes = [](const std::string& part) { return part.starts_with('-'); };
  const bool but = !parts.empty() && std::ranges::all_of(parts, removes);
  for (const SpeculationKind& kind : kSpeculationKinds) options.*kind.on = but;
  if (text == "none") return options;
  for (const std::string& part : parts) {
    const auto kind = std::ranges::find(
        kSpeculationKinds, std::string_view(part).substr(but ? 1 : 0), &SpeculationKind::name);
    if (kind == std::ranges::end(kSpeculationKinds))
      return failure("'{}' is not all, none, or some of {}, each with `-` in front or none", part,
                     speculation_kinds());
    options.*kind->on = !but;
  }
  return options;
}

std::vector<Setting> exit_settings(TierOptions& tiers) {
  return {{"exits", number_flag("--tier-exits", tiers.exits,
                                "exits until code is invalidated (default 20)", 1)},
          {"replace",
           choice_flag("--tier-replace", Flag::Takes::Value, {"first", "budget"}, tiers.replace,
                       "when an exit invalidates code: at the first, or after a budget of "
                       "`exits` (default)")},
          {"continuations",
           number_flag("--tier-continuations", tiers.continuations,
                       "exits to a position until a continuation is compiled for it (default 5, "
                       "--engine=native 1); 0: compiled with the code that has the exit")},
          {"deoptless",
           choice_flag("--tier-deoptless", Flag::Takes::Value, {"on", "off"}, tiers.deoptless,
                       "auto: exits enter continuations that are compiled for their contexts: the "
                       "target, the guard, the types of the variables (default off)")},
          {"taken-over",
           number_flag("--tier-taken-over", tiers.taken_over,
                       "exits taken over by continuations until code is invalidated all the same "
                       "(default 2000)",
                       1)},
          {"forced-exits",
           choice_flag("--tier-forced-exits", Flag::Takes::Value, {"count", "ignore"},
                       tiers.forced_exits,
                       "whether an exit that --deopt forces invalidates code as one of a failing "
                       "guard does: count, or ignore (default)")},
          {"invalidations",
           number_flag("--tier-retirements", tiers.invalidations,
                       "of one function or loop, until it is compiled without speculation "
                       "(default 12)")},
          {"feedback-resets", number_flag("--tier-forgets", tiers.feedback_resets,
                                          "invalidations that reset type feedback (default 3)")}};
}

// Settings for experiments.
std::vector<Flag> tier_settings(TierOptions& tiers) {
  std::vector<Setting> settings = {
      {"calls", number_flag("--tier-calls", tiers.calls,
                            "calls until a function is compiled (default 500)", 1)},
      {"iterations", number_flag("--tier-iterations", tiers.iterations,
                                 "iterations until a loop is compiled (default 5000)", 1)},
      {"delay", number_flag("--tier-delay", tiers.delay,
                            "milliseconds before anything is compiled (default 30; 0 with "
                            "--jit-sync)")},
      {"contexts",
       number_flag("--tier-contexts", tiers.contexts,
                   "what of the arguments versions are made for: 0 nothing, 1 types, 2 elements, "
                   "3 distinct arrays, 4 constants, 5 functions, each with those before it "
                   "(default 5)")},
      {"context-samples",
       number_flag("--tier-context-samples", tiers.context_samples,
                   "calls of a context that are sampled until there is a version for it "
                   "(default 2); 1: every call is, for tests",
                   1)},
      {"size", number_flag("--tier-size", tiers.size,
                           "instructions of the largest version that is compiled (default 5000)")},
      {"speculate", text_flag("--tier-speculate", "KINDS", tiers.speculate,
                              "what feedback is used for: some of " + speculation_kinds() +
                                  "; or -KIND,...: all but some; all (default), none")},
      {"exit-code",
       choice_flag("--tier-exit-code", Flag::Takes::Value, {"keep", "drop"}, tiers.exit_code,
                   "drop: native code without the code of its exits and bailouts, to measure "
                   "what it costs; a run that needs one ends (default keep)")},
      {"passes", text_flag("--tier-passes", "PASSES", tiers.passes,
                           "the pipeline of optimized versions (default jit-guards); for OSR "
                           "entries with licm:loads=running behind it")},
      {"without", text_flag("--tier-without", "PASSES", tiers.without,
                            "passes that are left out of the pipeline, with commas")}};
  std::ranges::move(exit_settings(tiers), std::back_inserter(settings));
  return settings_flag("--tier", "a setting of the tiers, for experiments", std::move(settings));
}

} // namespace

void add_tier_flags(std::vector<Flag>& flags, TierOptions& tiers) {
  add_group(
      flags, "Tiers",
      {switch_flag("--jit-sync", tiers.synchronous,
                   "auto: the program waits for the compiler, so that two runs are the same"),
       number_flag("--jit-level", tiers.level, "of LLVM's optimizer, 0 to 3 (default 2)"),
       switch_flag("--no-speculation", tiers.no_speculation,
                   "auto: compile versions as they are, without type feedback"),
       switch_flag("--no-inlining", tiers.no_inlining, "auto: without inlining"),
       switch_flag("--no-osr-in", tiers.no_osr_entries,
                   "auto: without OSR entries: a running loop stays in the interpreter"),
       switch_flag("--no-osr-out", tiers.no_continuations,
                   "native, auto: after a deoptimization execution goes on in the interpreter"),
       with_alias(switch_flag("--no-watchpoints", tiers.no_watchpoints,
                              "native, auto: guards on elements of arrays are tested each time"),
                  "--no-watching"),
       switch_flag("--stress-osr", tiers.stress_osr,
                   "auto: native code for every call, and an OSR entry at each back edge (a test: "
                   "slow)")});
  add_group(flags, "Tiers", tier_settings(tiers));
}

std::string default_engine() { return kNativeCode ? "auto" : "baseline"; }

std::string engine_problem(const std::string& engine, const TierOptions& tiers) {
  if (tiers.level > 3) return "--jit-level is 0, 1, 2 or 3";
  const auto pipeline = parse_pipeline(tiers.passes, load_plugin);
  if (const auto* const error = std::get_if<PipelineError>(&pipeline))
    return "--tier passes: " + error->message;
  for (const std::string& pass : parts_of_list(tiers.without))
    if (find_pass(pass) == nullptr)
      return fmt::format(
          "--tier without: there is no pass '{}'; `sourir opt --list-passes` lists them", pass);
  if (const auto kinds = speculation_options(tiers.speculate); !kinds)
    return "--tier speculate: " + kinds.error().message;
  if (is_foreign(std::get<Pipeline>(pipeline)) && !tiers.verify)
    return "--tier passes=... takes exec:CMD and plugin:FILE only with --verify, which checks what "
           "they make";
  if (tiers.stress_osr && engine != "auto")
    return "--stress-osr is about OSR entries: it needs --engine=auto";
  if (std::string problem = profile_problem(tiers.profile, engine); !problem.empty())
    return problem;
  if (engine != "native" || kNativeCode) return {};
  return "this build makes no native code (SOURIR_LLVM was off): there are --engine=baseline and "
         "--engine=reference";
}

std::string nothing_compiled(const TierOptions& tiers, bool background) {
  const std::string hot =
      fmt::format("a function is hot after {} calls, a loop after {} iterations", tiers.calls,
                  tiers.iterations);
  const char* const change = "--tier calls=N,iterations=N sets other numbers";
  if (!background)
    return fmt::format(
        "nothing was compiled before the program ended ({}): {}, or let it run longer", hot,
        change);
  const std::string delay =
      tiers.delay == 0 ? "" : fmt::format("; nothing is compiled in the first {} ms", tiers.delay);
  return fmt::format("nothing was compiled before the program ended ({}{}): --jit-sync makes the "
                     "program wait for the compiler, {}, or let it run longer",
                     hot, delay, change);
}

native::NativeSettings engine_settings(const std::string& engine, const Limits& limits,
                                       const TierOptions& tiers, Names& names) {
  using enum native::NativeSettings::Engine;
  native::NativeSettings s;
  s.engine = engine == "baseline" ? Baseline : engine == "native" ? Native : Auto;
  s.limits = limits;
  s.names = &names;
  s.level = static_cast<unsigned>(tiers.level);
  s.background = !tiers.synchronous && tiers.profile.replay.empty(); // a replay is deterministic
  s.osr_in = !tiers.no_osr_entries;
  s.tiers.calls_until_native = small(tiers.calls);
  s.tiers.iterations_until_native = small(tiers.iterations);
  s.quiet_start = std::chrono::milliseconds(std::min<std::uint64_t>(tiers.delay, 1'000'000));
  s.tiers.exits_until_invalidated = small(tiers.exits);
  s.tiers.replace_at_first_exit = tiers.replace == "first";
  s.continuations = !tiers.no_continuations;
  s.tiers.deoptless = tiers.deoptless == "on";
  s.contexts.level = static_cast<unsigned>(small(tiers.contexts));
  s.contexts.samples = small(tiers.context_samples);
  s.watchpoints = !tiers.no_watchpoints;
  s.drops_exits = tiers.exit_code == "drop";
  const std::uint64_t usual = s.engine == Native ? 1 : s.tiers.exits_until_continuation;
  s.tiers.exits_until_continuation =
      small(tiers.continuations == TierOptions::kByEngine ? usual : tiers.continuations);
  if (tiers.continuations != TierOptions::kByEngine)
    s.tiers.forced_exits_until_continuation = small(tiers.continuations);
  s.tiers.exits_taken_over = small(tiers.taken_over);
  s.tiers.forced_exits_count = tiers.forced_exits == "count";
  s.tiers.most_invalidations = small(tiers.invalidations);
  s.tiers.most_instructions = small(tiers.size);
  s.tiers.most_feedback_resets = small(tiers.feedback_resets);
  s.sampling = profile_settings(tiers.profile);
  s.events = tiers.events.recording;
  s.speculation = *speculation_options(tiers.speculate);
  s.tiers.stress_osr = tiers.stress_osr;
  if (tiers.stress_osr) {
    s.background = false;
    s.tiers.exits_until_continuation = 1;
    s.tiers.calls_until_native = s.tiers.iterations_until_native = 1;
  }
  if (!kNativeCode || s.engine == Baseline) return s;
  s.compiler = native::compiler_from_library();
  if (tiers.no_speculation) return s;
  const auto tier_pipeline = [&](const std::string& text) {
    Pipeline pipeline = std::get<Pipeline>(parse_pipeline(text, load_plugin));
    if (tiers.no_inlining)
      pipeline = without(without(std::move(pipeline), "inline"), "split"); // it splits for that
    for (const std::string& pass : parts_of_list(tiers.without))
      pipeline = without(std::move(pipeline), find_pass(pass)->name);
    return pipeline;
  };
  s.optimizer =
      tier_optimizer(tier_pipeline(tiers.passes), tier_pipeline(tiers.passes + kForRunningLoops));
  return s;
}

} // namespace sourir
