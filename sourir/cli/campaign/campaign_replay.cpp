// `campaign replay` and `campaign shrink`: one case again, in a process of its own.
#include "sourir/cli/campaign/campaign.h"
#include "sourir/cli/campaign/campaign_setup.h"
#include "sourir/cli/load_file.h"
#include "sourir/fuzz/campaign_form.h"
#include "sourir/fuzz/campaign_report.h"
#include "sourir/fuzz/host/isolated_case.h"
#include "sourir/fuzz/seeded_bugs.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/os/process.h"
#include "sourir/os/terminal.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>

namespace sourir {

namespace {

constexpr std::size_t kLargestReplay = std::size_t{1} << 26;

struct Chosen {
  ReplayCase replay;
  CampaignConfig campaign;
};

bool is_number(const std::string& text) {
  return std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

// The case of that number: as stored in the database, else generated again.
ReplayCase chosen_case(std::uint64_t index, CampaignStore& store, const CampaignConfig& campaign) {
  if (auto kept = store.replay(index)) return *kept;
  auto replay = make_isolated(index, campaign);
  if (!replay) throw WrongDatabase(fmt::format("case {}: {}", index, replay.error().message));
  if (const auto finding = store.finding(index)) {
    replay->oracle = finding->oracle;
    replay->transform = finding->transform;
    replay->kind = finding->kind;
  }
  return *replay;
}

// The configuration of a stored plan, or why this build cannot run it.
Result<CampaignConfig> usable(const CampaignPlan& plan) {
  if (plan.tool != SOURIR_VERSION)
    say(fmt::format("note: it is of sourir {}, this is " SOURIR_VERSION "\n",
                    printable(plan.tool)));
  if (plan.mutant != 0 &&
      !select_seeded_bug(static_cast<int>(std::min<std::uint64_t>(plan.mutant, 9'999))))
    return failure("it needs the seeded bug {}, which this build does not have; "
                   "sourir-mutants has it",
                   plan.mutant);
  return config_of(plan);
}

Result<Chosen> choose_by_number(const CampaignReplayOptions& o) {
  std::uint64_t index = 0;
  if (const std::string problem = parse_number(o.which, index); !problem.empty())
    return failure("{}", problem);
  CampaignStore store(o.db);
  if (index >= store.plan().programs)
    return failure("there is no case {}: the campaign has {}, from 0", index,
                   store.plan().programs);
  auto campaign = usable(store.plan());
  if (!campaign) return failure(campaign.error());
  auto& config = *campaign;
  return Chosen{chosen_case(index, store, config), std::move(config)};
}

Result<Chosen> choose_file(const CampaignReplayOptions& o) {
  auto text = read_file(o.which, kLargestReplay);
  if (const auto* problem = std::get_if<FileProblem>(&text)) return failure("{}", problem->message);
  auto replay = read_replay(std::get<std::string>(text));
  if (!replay) return failure("'{}': {}", o.which, replay.error().message);
  ReplayCase& read = *replay;
  const auto plan = read_plan(read.plan);
  if (!plan) return failure("'{}': {}", o.which, plan.error().message);
  auto campaign = usable(*plan);
  if (!campaign) return failure("'{}': {}", o.which, campaign.error().message);
  auto& config = *campaign;
  if (const auto made = case_of(read, config.fuzz.transforms); !made)
    return failure("'{}': {}", o.which, made.error().message);
  return Chosen{std::move(read), std::move(config)};
}

Result<Chosen> choose(const CampaignReplayOptions& o) {
  if (is_number(o.which) && o.db.empty())
    return failure("the number of a case needs --db FILE; a replay file does not");
  return is_number(o.which) ? choose_by_number(o) : choose_file(o);
}

Json with_outcome(const ReplayCase& replay, const CaseOutcome& outcome) {
  Json json = replay_json(replay);
  json["now"] = {{"outcome", outcome.what},
                 {"oracle", outcome.oracle},
                 {"pass", outcome.transform},
                 {"kind", outcome.kind},
                 {"report", outcome.report}};
  return json;
}

std::string case_text(const ReplayCase& replay) {
  std::string out =
      fmt::format("# case {}\n# passes: {}\n", replay.index, fmt::join(replay.pipeline, ","));
  if (!replay.inputs.empty()) out += fmt::format("# input: {}\n", fmt::join(replay.inputs, " "));
  out += fmt::format("# --deopt={}\n", replay.deopt);
  if (replay.feedback_seed != 0) out += fmt::format("# feedback seed {}\n", replay.feedback_seed);
  return out + replay.program;
}

std::string outcome_text(const CaseOutcome& outcome) {
  if (outcome.what != "counterexample") return outcome.what + "\n";
  return fmt::format("counterexample: {}\n{}",
                     finding_title({outcome.oracle, outcome.transform, outcome.kind}),
                     outcome.report);
}

int status_of(const CaseOutcome& outcome) {
  if (outcome.what == "counterexample") return exit_status::kFound;
  return outcome.what == "passed" ? exit_status::kFine : exit_status::kInconclusive;
}

int show(const CampaignReplayOptions& o, const ReplayCase& replay, const CaseOutcome& outcome) {
  if (!o.output.empty())
    if (const std::string problem = replace_file(o.output, json_text(replay_json(replay)));
        !problem.empty())
      return say_error(problem), exit_status::kUnwritable;
  if (o.output != "-")
    standard_output().write(o.json ? json_text(with_outcome(replay, outcome))
                                   : case_text(replay) + "\n" + outcome_text(outcome));
  return status_of(outcome);
}

} // namespace

int run_campaign_replay(const CampaignReplayOptions& o) {
  return with_database([&] {
    watch_interrupts();
    auto chosen = choose(o);
    if (!chosen) return say_error(chosen.error().message), exit_status::kUnreadable;
    const auto& [replay, campaign] = *chosen;
    const CaseOutcome outcome = try_isolated(replay, campaign, o.seconds);
    if (interrupted()) return exit_status::kInterrupted;
    if (!replay.oracle.empty() && replay.oracle != outcome.oracle)
      say(fmt::format("note: the campaign found {}, which is not what is found now\n",
                      printable(finding_title({replay.oracle, replay.transform, replay.kind}))));
    return show(o, replay, outcome);
  });
}

namespace {

void keep(const CampaignReplayOptions& o, const Chosen& chosen, const ReplayCase& small,
          std::uint64_t instructions) {
  if (!is_number(o.which)) return;
  CampaignStore store(o.db);
  store.keep_shrunk(chosen.replay.index, instructions, json_line(replay_json(small)));
}

// On standard error: a line that is overwritten on a terminal, otherwise one every ten seconds.
class ShrinkProgress {
public:
  ShrinkProgress(std::uint64_t before, std::uint64_t seconds)
      : before_(before), seconds_(seconds), terminal_(isatty(STDERR_FILENO) != 0) {}
  ~ShrinkProgress() {
    if (shown_) say("\r\033[K");
  }
  ShrinkProgress(const ShrinkProgress&) = delete;
  ShrinkProgress& operator=(const ShrinkProgress&) = delete;

  void show(std::uint64_t tried, std::uint64_t instructions) {
    using std::chrono::seconds;
    const auto now = Clock::now();
    if (!terminal_ && now - shown_at_ < seconds(10)) return;
    shown_at_ = now;
    const auto took = std::chrono::duration_cast<seconds>(now - begin_).count();
    const std::string text =
        fmt::format("{} instead of {}, {}, {} of {} s", counted(instructions, "instruction"),
                    before_, counted(tried, "case"), took, seconds_);
    say(terminal_ ? "\r" + text + "\033[K" : text + "\n");
    shown_ = terminal_;
  }

private:
  using Clock = std::chrono::steady_clock;
  std::uint64_t before_, seconds_;
  Clock::time_point begin_ = Clock::now(), shown_at_ = begin_;
  bool terminal_, shown_ = false;
};

ShrunkCase shrink_with_progress(const Chosen& chosen, const CaseOutcome& outcome,
                                const CampaignReplayOptions& o, std::uint64_t before) {
  ShrinkProgress line(before, o.seconds);
  return shrink_isolated(chosen.replay, chosen.campaign, outcome,
                         {.tries = o.tries,
                          .seconds = o.seconds,
                          .progress = [&](std::uint64_t tried, std::uint64_t instructions) {
                            line.show(tried, instructions);
                          }});
}

std::string_view why_it_ended(ShrunkCase::End end) {
  switch (end) {
  case ShrunkCase::End::Done: return "";
  case ShrunkCase::End::OutOfTime: return "; the time is used up, it may become smaller (--time)";
  case ShrunkCase::End::Interrupted: return "; stopped by Ctrl-C, it may become smaller";
  }
  return "";
}

} // namespace

int run_campaign_shrink(const CampaignReplayOptions& o) {
  return with_database([&] {
    watch_interrupts();
    auto picked = choose(o);
    if (!picked) return say_error(picked.error().message), exit_status::kUnreadable;
    const auto& chosen = *picked;
    const CaseOutcome outcome = try_isolated(chosen.replay, chosen.campaign, o.seconds);
    if (interrupted()) return exit_status::kInterrupted;
    if (outcome.what != "counterexample" || outcome.oracle == "hang") {
      say_error(fmt::format("nothing to shrink: the case is {}",
                            outcome.oracle == "hang" ? "one that hangs" : outcome.what));
      return status_of(outcome);
    }
    const std::uint64_t before = instructions_of(chosen.replay, chosen.campaign);
    const ShrunkCase shrunk = shrink_with_progress(chosen, outcome, o, before);
    const ReplayCase& small = shrunk.replay;
    const std::uint64_t instructions = instructions_of(small, chosen.campaign);
    keep(o, chosen, small, instructions);
    say(fmt::format("{} instead of {}, {}{}\n", counted(instructions, "instruction"), before,
                    counted(shrunk.tried, "case"), why_it_ended(shrunk.end)));
    const int status =
        show(o, small, {"counterexample", small.oracle, small.transform, small.kind, small.report});
    return shrunk.end == ShrunkCase::End::Interrupted ? exit_status::kInterrupted : status;
  });
}

} // namespace sourir
