// `sourir profile`: a run with the report of the sampling profiler.
#include "sourir/cli/commands.h"

#include "sourir/cli/events/event_report.h"
#include "sourir/cli/run.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"

#include <memory>

namespace sourir {

namespace {

constexpr const char* kDetails =
    "The program's output goes to standard output, the report to standard error or where -o says.\n"
    "Exit status: as of `sourir run`.\n\n"
    "Examples:\n"
    "  sourir profile program.sou\n"
    "  sourir profile program.sou --trigger=timer --html flames.html -o report\n"
    "  sourir profile program.sou --sample-only --folded - | flamegraph.pl > flames.svg\n";

// Counting instead of sampling.
int run_events(RunOptions& o) {
  ProfileOptions& sampling = o.tiers.profile;
  EventProfileOptions& events = o.tiers.events;
  if (events.events == "help") {
    standard_output().write(event_list());
    return exit_status::kFine;
  }
  const bool samples = !sampling.trigger.empty() || !sampling.folded.empty() ||
                       !sampling.speedscope.empty() || !sampling.html.empty() ||
                       !sampling.record.empty() || !sampling.replay.empty();
  if (samples)
    return usage_error("profile", "--events counts, and does not sample: --trigger, --folded, "
                                  "--speedscope, --html and samples in files are not there");
  events.reference = o.engine == "reference";
  events.json = std::exchange(sampling.json, false);
  events.output = sampling.report.empty() ? "-" : std::exchange(sampling.report, "");
  if (const std::string problem = prepare_events(events); !problem.empty())
    return usage_error("profile", problem);
  return run_run(o);
}

} // namespace

Command profile_command() {
  const auto o = std::make_shared<RunOptions>();
  o->engine = "auto";
  ProfileOptions& p = o->tiers.profile;
  Command c{.name = "profile",
            .summary = "Run a program and say which native code is hot, and which is stale.",
            .details = kDetails};
  add_group(c.flags, "Report",
            {text_flag("-o,--output", "FILE", p.report, "the report goes there"),
             switch_flag("--json", p.json, "the report as JSON"),
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
  add_event_flags(c.flags, o->tiers.events);
  add_group(c.flags, "Engine",
            {choice_flag("--engine", Flag::Takes::Value,
                         {"auto", "baseline", "native", "reference"}, o->engine,
                         "events: what runs the program, as in `sourir run`; reference: the "
                         "counts by the semantics")});
  add_tier_flags(c.flags, o->tiers);
  c.run = [o](const std::vector<std::string>& files) {
    o->file = files.empty() ? "" : files[0];
    if (!o->tiers.events.events.empty()) return run_events(*o);
    ProfileOptions& profile = o->tiers.profile;
    if (profile.trigger.empty()) profile.trigger = "auto";
    if (profile.report.empty()) profile.report = "-";
    return run_run(*o);
  };
  return c;
}

} // namespace sourir
