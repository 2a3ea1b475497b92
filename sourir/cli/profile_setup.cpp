#include "sourir/cli/profile_setup.h"

#include "sourir/os/files.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace sourir {

namespace {

using profiler::TriggerKind;

constexpr std::uint64_t kUsualBurst = 64;
constexpr std::uint64_t kMostPercent = profiler::HandlerBudget::kMostPercent;
constexpr std::size_t kRecordBytes = std::size_t{64} << 20, kLargestFile = std::size_t{1} << 30;
// Up to this period more samples are needed (dissertation 5.2).
constexpr std::uint64_t kShortPeriod = 100'000;
constexpr std::uint64_t kMinSamples = 20, kMinSamplesAtShortPeriods = 75, kMaxSamplesFactor = 10;

std::optional<TriggerKind> kind_of(const std::string& name) {
  if (name == "counter") return TriggerKind::Instructions;
  if (name == "clock") return TriggerKind::TaskClock;
  if (name == "timer") return TriggerKind::Timer;
  if (name == "loop") return TriggerKind::Loop;
  return {};
}

std::uint32_t small(std::uint64_t n) {
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(n, 1U << 20));
}

} // namespace

namespace {

// Also switches sampling on.
Flag sample_only_flag(ProfileOptions& options) {
  Flag flag =
      switch_flag("--profile-only", options.sample_only, "--profile, but recompile nothing");
  flag.set = [&options, set = std::move(flag.set)](const std::string& value) {
    if (options.trigger.empty()) options.trigger = "auto";
    return set(value);
  };
  return flag;
}

} // namespace

void add_profile_flags(std::vector<Flag>& flags, ProfileOptions& options) {
  add_group(
      flags, "Profile",
      {choice_flag("--profile", Flag::Takes::Optional,
                   {"auto", "counter", "clock", "timer", "loop"}, options.trigger,
                   "auto: interrupt the program now and then, sample the types of values in native "
                   "code, and recompile code that is too general for them; by the first of "
                   "hardware counter, software clock and timer that works, or by the one that is "
                   "given; loop: by back edges and calls, the same in each run"),
       number_flag("--profile-period", options.period,
                   "instructions for one sample, two for a nanosecond of a clock (default 500000); "
                   "loop: back edges and calls (default 1000)",
                   1),
       number_flag("--profile-limit", options.limit,
                   "percent of the time that signals may take, after 4 ms at the beginning; the "
                   "period grows until they do not take more, and where samples tell nothing new "
                   "(default 1; 50 at most: 100 is taken for 50)",
                   1),
       with_alias(number_flag("--profile-min-samples", options.min_samples,
                              "T1: samples after which a value's types are known (default 20; 75 "
                              "where the period is 100000 or less)",
                              1),
                  "--profile-enough"),
       with_alias(number_flag("--profile-max-samples", options.max_samples,
                              "T2: samples after which they are dropped if the code is not found "
                              "stale (default ten times T1)",
                              1),
                  "--profile-polluted"),
       sample_only_flag(options),
       number_flag("--profile-burst", options.burst,
                   "samples in a row, then a pause (default 0: without pauses)"),
       number_flag("--profile-pause", options.pause, "its length in periods (default 1)", 1),
       switch_flag("--profile-adaptive", options.adaptive,
                   "a pause of twice the length after each burst without activity (a burst is 64 "
                   "samples unless --profile-burst says otherwise)"),
       number_flag("--profile-hits", options.hits,
                   "samples in a code object until code that reports its types is compiled, which "
                   "is entered for a sample only (default 32, fewer of longer periods; 0 with "
                   "--profile=loop: all code reports)"),
       text_flag("--record-samples", "FILE", options.record,
                 "keep the samples, for --replay-samples"),
       text_flag("--replay-samples", "FILE", options.replay,
                 "take the samples of another run, one for each of --profile=loop; implies "
                 "--jit-sync, so that each time the same comes of them"),
       text_flag("--profile-report", "FILE", options.report,
                 "what was sampled, as text; -: on standard error")});
}

std::string profile_problem(const ProfileOptions& o, const std::string& engine) {
  if (o.trigger.empty())
    return o.period != 0 || o.min_samples != 0 || o.max_samples != 0 || !o.report.empty() ||
                   !o.record.empty() || !o.replay.empty() || o.burst != 0 || o.adaptive ||
                   o.hits != ProfileOptions::kUsualHits
               ? "--profile-... is about samples: it needs --profile"
               : "";
  if (!o.replay.empty() && o.trigger != "loop")
    return "--replay-samples takes one sample for each of --profile=loop, which it needs";
  if (!o.replay.empty() && !o.record.empty())
    return "--record-samples would keep what --replay-samples has";
  if (engine != "auto") return "--profile is about code that --engine=auto makes";
  const profiler::Settings settings = profile_settings(o);
  if (settings.thresholds.max_samples < settings.thresholds.min_samples)
    return fmt::format("--profile-max-samples is less than --profile-min-samples ({})",
                       settings.thresholds.min_samples);
  return {};
}

profiler::Settings profile_settings(const ProfileOptions& o) {
  profiler::Settings s;
  s.on = !o.trigger.empty();
  s.trigger.kind = kind_of(o.trigger);
  s.trigger.limit = static_cast<std::uint32_t>(std::min(o.limit, kMostPercent));
  s.recompile = !o.sample_only;
  const bool loop = s.trigger.kind == TriggerKind::Loop;
  if (o.hits != ProfileOptions::kUsualHits)
    s.hits_until_instrumented = small(o.hits);
  else if (loop)
    s.hits_until_instrumented = 0;
  if (o.period != ProfileOptions::kByTrigger) (loop ? s.events : s.trigger.period) = o.period;
  s.events = std::min<std::uint64_t>(s.events, std::numeric_limits<std::int64_t>::max());
  const bool often = !loop && s.trigger.period <= kShortPeriod;
  s.thresholds.min_samples = small(o.min_samples != 0 ? o.min_samples
                                   : often            ? kMinSamplesAtShortPeriods
                                                      : kMinSamples);
  s.thresholds.max_samples =
      small(o.max_samples != 0 ? o.max_samples : s.thresholds.min_samples * kMaxSamplesFactor);
  s.duty_cycle.burst = small(o.burst != 0 || !o.adaptive ? o.burst : kUsualBurst);
  s.duty_cycle.pause = small(o.pause);
  s.duty_cycle.adaptive = o.adaptive;
  const bool stacks = !o.folded.empty() || !o.speedscope.empty() || !o.html.empty();
  if (!o.record.empty() || stacks) s.record_bytes = kRecordBytes;
  s.replay = o.samples;
  const bool shown = s.record_bytes != 0 || !o.report.empty();
  s.adapts = !loop && !shown && o.burst == 0 && !o.adaptive && s.trigger.limit < kMostPercent;
  return s;
}

std::string load_samples(ProfileOptions& o) {
  if (o.replay.empty()) return {};
  const auto text = read_file(o.replay, kLargestFile);
  if (const auto* problem = std::get_if<FileProblem>(&text)) return problem->message;
  auto samples = profiler::read_samples(std::get<std::string>(text));
  if (!samples) return fmt::format("'{}': {}", o.replay, samples.error().message);
  o.samples = std::make_shared<const std::vector<profiler::RecordedSample>>(*std::move(samples));
  return {};
}

} // namespace sourir
