// `sourir profile`: a run with the report of the sampling profiler.
#include "sourir/cli/commands.h"

#include "sourir/cli/events/compare_events.h"
#include "sourir/cli/load_file.h"
#include "sourir/cli/run.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"

#include <fmt/format.h>

#include <memory>

namespace sourir {

namespace {

constexpr const char* kDetails =
    "The program's output goes to standard output, the report to standard error or where -o says.\n"
    "With --compare, --keep and --against programs run several times, and what they print is not\n"
    "shown: the report goes to standard output.\n"
    "Exit status: as of `sourir run`. --compare, --keep and --against: 0 fine, 1 --against finds "
    "a\n"
    "difference, 2 for a program there is no answer (no native code ran, or it prints something "
    "else\n"
    "than then), 64 usage, 65 a program or file is rejected, 66 a file cannot be read, 67 or 68 a "
    "run\n"
    "does not stop, 70 A and B print something else, 74 the output cannot be written, 130 "
    "Ctrl-C.\n\n"
    "Examples:\n"
    "  sourir profile program.sou\n"
    "  sourir profile program.sou --trigger=timer --html flames.html -o report\n"
    "  sourir profile program.sou --sample-only --folded - | flamegraph.pl > flames.svg\n"
    "  sourir profile program.sou --events=all --by=loop --jit-sync\n"
    "  sourir profile --compare jit-guards jit program.sou\n"
    "  sourir profile --compare jit-guards '--tier without=licm' program.sou\n"
    "  sourir profile --keep counts.json program.sou\n"
    "  sourir profile --against counts.json program.sou\n";

struct ProfileCommand {
  RunOptions run;
  EventComparisonOptions comparison;
};

// Counting instead of sampling.
int run_events(ProfileCommand& command, const std::vector<std::string>& files) {
  RunOptions& o = command.run;
  ProfileOptions& sampling = o.tiers.profile;
  EventProfileOptions& events = o.tiers.events;
  const bool samples = !sampling.trigger.empty() || !sampling.folded.empty() ||
                       !sampling.speedscope.empty() || !sampling.html.empty() ||
                       !sampling.record.empty() || !sampling.replay.empty();
  if (samples)
    return usage_error("profile", "--events counts, and does not sample: --trigger, --folded, "
                                  "--speedscope, --html and samples in files are not there");
  events.reference = o.engine == "reference";
  events.json = std::exchange(sampling.json, false);
  events.output = sampling.report.empty() ? "-" : std::exchange(sampling.report, "");
  if (command.comparison.wanted()) {
    if (!o.stats.empty() || o.perf_map || !o.tier_log.empty())
      return usage_error("profile", "--stats, --tiers and --perf-map are about one run, not about "
                                    "--compare, --keep and --against");
    if (events.reference)
      return usage_error("profile", "--compare, --keep and --against are about native code, which "
                                    "--engine=reference does not make");
    command.comparison.engine = o.engine;
    command.comparison.input = o.input;
    return compare_events(command.comparison, events, files);
  }
  if (const std::string problem = prepare_events(events); !problem.empty())
    return usage_error("profile", problem);
  return run_run(o);
}

// The flag, which also appends itself as it was given.
Flag recorded(Flag flag, std::vector<std::string>& given) {
  flag.set = [&given, name = flag.long_name(), set = flag.set](const std::string& value) {
    given.push_back(value.empty() ? name : name + "=" + value);
    return set(value);
  };
  return flag;
}

// Limits and those of the tiers, too: runs of a comparison get them.
void add_counting_flags(std::vector<Flag>& flags, ProfileCommand& command) {
  EventComparisonOptions& comparison = command.comparison;
  std::vector<Flag> counting;
  add_event_flags(counting, command.run.tiers.events);
  for (const Flag& flag : counting)
    flags.push_back(flag.names == "--events" ? flag : recorded(flag, comparison.counting));
  add_group(flags, "Engine",
            {choice_flag("--engine", Flag::Takes::Value,
                         {"auto", "baseline", "native", "reference"}, command.run.engine,
                         "events: what runs the program, as in `sourir run`; reference: the counts "
                         "by the semantics")});
  add_event_comparison_flags(flags, comparison);
  std::vector<Flag> limits;
  add_limit_flags(limits, command.run.limits);
  for (const Flag& flag : limits) flags.push_back(recorded(flag, comparison.flags));
  add_tier_log_flags(flags, command.run);
  add_tier_flags(comparison.tier_flags, command.run.tiers);
  for (const Flag& flag : comparison.tier_flags) flags.push_back(recorded(flag, comparison.flags));
}

} // namespace

Command profile_command() {
  const auto all = std::make_shared<ProfileCommand>();
  RunOptions* const o = &all->run;
  o->engine = "auto";
  ProfileOptions& p = o->tiers.profile;
  Command c{.name = "profile",
            .summary = "Run a program and say which native code is hot, and which is stale.",
            .details = kDetails};
  add_group(c.flags, "Report",
            {text_flag("-o,--output", "FILE", p.report, "the report goes there"),
             switch_flag("--json", p.json, "the report as JSON"),
             choice_flag("--stats", Flag::Takes::Optional, {"text", "json"}, o->stats,
                         "counts of calls, code and deoptimizations, on standard error"),
             text_flag("--folded", "FILE", p.folded, "stacks, for flamegraph.pl and others"),
             text_flag("--speedscope", "FILE", p.speedscope, "stacks, for speedscope.app"),
             text_flag("--html", "FILE", p.html, "a flame graph: a page that needs nothing else"),
             switch_flag("--perf-map", o->perf_map,
                         "write /tmp/perf-PID.map, from which perf(1) has names for native code")});
  add_group(c.flags, "Program",
            {text_flag("--input", "FILE", o->input,
                       "what it reads, one literal a line (default: standard input)")});
  add_group(
      c.flags, "Profile",
      {choice_flag("--trigger", Flag::Takes::Value, {"auto", "counter", "clock", "timer", "loop"},
                   p.trigger,
                   "what interrupts the program: what works best (the default), or this"),
       with_alias(switch_flag("--sample-only", p.sample_only, "sample, but recompile nothing"),
                  "--watch-only")});
  add_profile_flags(c.flags, p);
  std::erase_if(c.flags, [](const Flag& f) {
    return f.names == "--profile" || f.names == "--profile-report" || f.names == "--profile-only";
  });
  add_counting_flags(c.flags, *all);
  c.operands.most = kAnyNumber;
  c.run = [all](const std::vector<std::string>& files) {
    all->run.file = files[0];
    const bool several = all->comparison.wanted();
    if (files.size() > 1 && !several)
      return usage_error("profile", fmt::format("'{}' is one FILE too many", files[1]));
    if (several || !all->run.tiers.events.events.empty()) return run_events(*all, files);
    ProfileOptions& profile = all->run.tiers.profile;
    if (profile.trigger.empty()) profile.trigger = "auto";
    if (profile.report.empty()) profile.report = "-";
    return run_run(all->run);
  };
  return c;
}

} // namespace sourir
