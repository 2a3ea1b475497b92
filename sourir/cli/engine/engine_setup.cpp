#include "sourir/cli/engine/engine_setup.h"

#include "native/tiering/compiler_loader.h"
#include "native/tiering/optimizer.h"
#include "native/tiering/program_part.h"
#include "sourir/cli/pass_setup.h"
#include "sourir/passes/pipeline.h"
#include "sourir/passes/tier_pipeline.h"
#include "sourir/syntax/match.h"

#include <algorithm>

namespace sourir {
namespace {

// The passes as the tiers of a running program use them (native/runtime/optimizer.h).

// `pipeline` is applied to one function at a time; it should begin with fresh-version.
native::Optimizer tier_optimizer(Pipeline pipeline);

constexpr std::uint64_t kExecSeconds = 60; // for each version

bool runs_commands(const Pipeline& pipeline) {
  return std::ranges::any_of(pipeline, [](const PipelineStep& step) {
    const auto* const repeat = std::get_if<Repeat>(&step.step);
    return std::holds_alternative<RunCommand>(step.step) ||
           (repeat != nullptr && runs_commands(repeat->body));
  });
}

native::Optimizer tier_optimizer(Pipeline pipeline) {
  return [pipeline = std::move(pipeline)](
             const native::OptimizerRequest& request) -> std::optional<native::OptimizedProgram> {
    PipelineHooks hooks;
    hooks.command = [&](const std::string& command, const PassInput& input) {
      return run_exec_pass(command, input.program, request.names, kExecSeconds);
    };
    // A command gets a program that is one.
    std::optional<Program> whole;
    if (runs_commands(pipeline)) whole = native::with_part(request.running, request.program);
    auto made = optimize_function(whole ? *whole : request.program, request.function,
                                  request.feedback, pipeline, request.names, hooks);
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

void add_tier_flags(std::vector<Flag>& flags, TierOptions& tiers) {
  flags.push_back(switch_flag("--jit-sync", tiers.synchronous,
                              "auto: the program waits while code is made for it, so that two runs "
                              "are the same"));
  flags.push_back(switch_flag("--no-speculation", tiers.no_speculation,
                              "auto: compile versions as they are, do not make better ones from "
                              "what was seen"));
  flags.push_back(switch_flag("--no-inlining", tiers.no_inlining, "auto: without inlining"));
  flags.push_back(
      switch_flag("--no-osr-in", tiers.no_loops, "auto: a running loop stays in the baseline"));
  flags.push_back(switch_flag("--no-osr-out", tiers.no_continuations,
                              "native, auto: what leaves native code goes on in the baseline"));
  flags.push_back(switch_flag("--no-watching", tiers.no_watching,
                              "native, auto: guards on elements of arrays are tested each time"));
  flags.push_back(number_flag("--tier-calls", tiers.calls,
                              "auto: calls until a function becomes native code (default 500)", 1));
  flags.push_back(number_flag("--tier-iterations", tiers.iterations,
                              "auto: rounds until a loop does (default 5000)", 1));
  flags.push_back(number_flag("--tier-delay", tiers.delay,
                              "auto: milliseconds before anything is compiled (default 30; 0 with "
                              "--jit-sync)"));
  flags.push_back(number_flag("--tier-exits", tiers.exits,
                              "auto: exits until code is given up (default 20)", 1));
  flags.push_back(
      text_flag("--tier-replace", "WHEN", tiers.replace,
                "auto: code that an exit left is given up at the `first` one, or behind "
                "a `budget` of --tier-exits (default)"));
  flags.push_back(number_flag("--tier-continuations", tiers.continuations,
                              "exits to a place until native code to go on there is made (default "
                              "5, --engine=native 1); 0: made with the code that has the exit"));
  flags.push_back(number_flag("--tier-retirements", tiers.retirements,
                              "auto: how often code of one function or loop is given up until "
                              "nothing is counted on (default 12)"));
  flags.push_back(number_flag("--tier-forgets", tiers.forgets,
                              "auto: how often what was seen is forgotten when code of a function "
                              "or loop is given up (default 3)"));
  flags.push_back(text_flag("--tier-passes", "PASSES", tiers.passes,
                            "auto: what makes the better versions (default jit)"));
  flags.push_back(switch_flag("--stress-osr", tiers.every_entry,
                              "auto: native code for every call, and each loop in the baseline "
                              "enters its own at the end of each round (a test: slow)"));
  flags.push_back(
      number_flag("--jit-level", tiers.level, "of LLVM's optimizer, 0 to 3 (default 2)"));
}

std::string default_engine() { return kNativeCode ? "auto" : "baseline"; }

std::string engine_problem(const std::string& engine, const TierOptions& tiers) {
  if (tiers.level > 3) return "--jit-level is 0, 1, 2 or 3";
  if (tiers.replace != "first" && tiers.replace != "budget")
    return "--tier-replace is first or budget";
  const auto pipeline = parse_pipeline(tiers.passes);
  if (const auto* const error = std::get_if<PipelineError>(&pipeline))
    return "--tier-passes: " + error->message;
  for (const PipelineStep& step : std::get<Pipeline>(pipeline))
    if (std::holds_alternative<RunCommand>(step.step) && !tiers.verify)
      return "--tier-passes takes exec:CMD only with --verify, which checks what it makes";
  if (tiers.every_entry && engine != "auto")
    return "--stress-osr is about going from the baseline to native code: it needs --engine=auto";
  if (std::string problem = profile_problem(tiers.profile, engine); !problem.empty())
    return problem;
  if (engine != "native" || kNativeCode) return {};
  return "this build makes no native code (SOURIR_LLVM was off): there are --engine=baseline and "
         "--engine=reference";
}

native::NativeSettings engine_settings(const std::string& engine, const Limits& limits,
                                       const TierOptions& tiers, Names& names) {
  using enum native::NativeSettings::Engine;
  native::NativeSettings s;
  s.engine = engine == "baseline" ? Baseline : engine == "native" ? Native : Auto;
  s.limits = limits;
  s.names = &names;
  s.level = static_cast<unsigned>(tiers.level);
  s.background = !tiers.synchronous && tiers.profile.replay.empty(); // the same each time
  s.enter_loops = !tiers.no_loops;
  s.calls_until_native = small(tiers.calls);
  s.iterations_until_native = small(tiers.iterations);
  s.quiet_start = std::chrono::milliseconds(std::min<std::uint64_t>(tiers.delay, 1'000'000));
  s.exits_until_retired = small(tiers.exits);
  s.replace_at_first_exit = tiers.replace == "first";
  s.enter_behind_exits = !tiers.no_continuations;
  s.watch = !tiers.no_watching;
  const std::uint64_t usual = s.engine == Native ? 1 : s.exits_until_continuation;
  s.exits_until_continuation =
      small(tiers.continuations == TierOptions::kByEngine ? usual : tiers.continuations);
  s.most_retired = small(tiers.retirements);
  s.most_forgotten = small(tiers.forgets);
  s.sampling = profile_settings(tiers.profile);
  s.every_entry = tiers.every_entry;
  if (tiers.every_entry) {
    s.background = false;
    s.exits_until_continuation = 1;
    s.calls_until_native = s.iterations_until_native = 1;
  }
  if (!kNativeCode || s.engine == Baseline) return s;
  s.compiler = native::compiler_from_library();
  if (tiers.no_speculation) return s;
  Pipeline pipeline = std::get<Pipeline>(parse_pipeline(tiers.passes));
  if (tiers.no_inlining) pipeline = without(std::move(pipeline), "inline");
  s.optimizer = tier_optimizer(std::move(pipeline));
  return s;
}

} // namespace sourir
