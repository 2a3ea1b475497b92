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

#include <algorithm>

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

int keep(const CampaignReplayOptions& o, const Chosen& chosen, const ReplayCase& small,
         std::uint64_t instructions) {
  if (!is_number(o.which)) return 0;
  CampaignStore store(o.db);
  store.keep_shrunk(chosen.replay.index, instructions, json_line(replay_json(small)));
  return 0;
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
    const ReplayCase found = shrink_isolated(chosen.replay, chosen.campaign, outcome,
                                             {.tries = o.tries, .seconds = o.seconds});
    if (interrupted()) return exit_status::kInterrupted;
    const std::uint64_t instructions = instructions_of(found, chosen.campaign);
    keep(o, chosen, found, instructions);
    say(fmt::format("{} instead of {}\n", counted(instructions, "instruction"),
                    instructions_of(chosen.replay, chosen.campaign)));
    return show(o, found,
                {"counterexample", found.oracle, found.transform, found.kind, found.report});
  });
}

} // namespace sourir
