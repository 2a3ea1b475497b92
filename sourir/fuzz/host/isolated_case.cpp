#include "sourir/fuzz/host/isolated_case.h"

#include "sourir/fuzz/campaign_form.h"
#include "sourir/fuzz/shrink_case.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/process.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {
namespace {

constexpr std::uint64_t kChoicesTries = 500;

Json outcome_json(const FuzzResult& result) {
  if (!result.finding) return {{"outcome", result.inconclusive ? "inconclusive" : "passed"}};
  const Finding& f = *result.finding;
  return {{"outcome", "counterexample"},
          {"oracle", name_of(f.oracle)},
          {"pass", f.transform},
          {"kind", f.kind},
          {"report", f.report}};
}

CaseOutcome outcome_of(const ProcessResult& done, std::uint64_t seconds) {
  CaseOutcome outcome;
  if (done.stop == ProcessResult::Stop::OutOfTime) {
    outcome = {.what = "counterexample", .oracle = "hang", .transform = {}, .kind = "hang"};
    outcome.report = fmt::format("it took more than {} s\n", seconds);
    return outcome;
  }
  const Json json = Json::parse(done.output, nullptr, false);
  if (!done.end.fine() || json.is_discarded()) {
    outcome = {"counterexample", "crash", "", done.end.text(), ""};
    outcome.report = fmt::format("its process ended with {}\n{}", done.end.text(), done.errors);
    return outcome;
  }
  outcome.what = json.at("outcome");
  if (outcome.what != "counterexample") return outcome;
  return {outcome.what, json.at("oracle"), json.at("pass"), json.at("kind"), json.at("report")};
}

} // namespace

CaseOutcome try_isolated(const ReplayCase& replay, const CampaignConfig& campaign,
                         std::uint64_t seconds) {
  const ProcessResult done = run_forked(
      [&] {
        auto made = case_of(replay, campaign.fuzz.transforms);
        if (!made) throw std::runtime_error(made.error().message); // it was examined before
        auto& fuzz_case = *made;
        return json_line(outcome_json(try_case(*fuzz_case, campaign.fuzz)));
      },
      seconds);
  return outcome_of(done, seconds);
}

namespace {

Result<ReplayCase> replay_from(const ProcessResult& made) {
  if (!made.end.fine()) return failure("making the case ends its process with {}", made.end.text());
  return read_replay(made.output);
}

} // namespace

Result<ReplayCase> make_isolated(const std::vector<std::uint32_t>& choices, std::uint64_t index,
                                 const CampaignConfig& campaign) {
  return replay_from(run_forked([&] {
    ChoiceSequence again(choices);
    const auto fuzz_case = make_case(again, campaign.fuzz);
    return json_line(replay_json(replay_case(index, campaign, *fuzz_case, again.used())));
  }));
}

Result<ReplayCase> make_isolated(std::uint64_t index, const CampaignConfig& campaign) {
  return replay_from(run_forked([&] {
    std::vector<std::uint32_t> choices;
    const auto fuzz_case = numbered_case(index, campaign, &choices);
    return json_line(replay_json(replay_case(index, campaign, *fuzz_case, choices)));
  }));
}

std::uint64_t instructions_of(const ReplayCase& replay, const CampaignConfig& campaign) {
  const auto made = case_of(replay, campaign.fuzz.transforms);
  std::uint64_t n = 0;
  if (made)
    for (const Function& f : (*made)->program.functions)
      for (const Version& v : f.versions) n += v.body.size();
  return n;
}

namespace {

// A smaller choice sequence of a case that ends its process, with a process for each that is tried.
std::vector<std::uint32_t> crashing_choices(const ReplayCase& replay,
                                            const CampaignConfig& campaign,
                                            const CaseOutcome& outcome,
                                            std::vector<std::uint32_t> choices,
                                            std::uint64_t tries) {
  constexpr std::uint64_t kCaseSeconds = 10;
  return shrink_choices(std::move(choices), tries, [&](const std::vector<std::uint32_t>& words) {
    if (interrupted()) return false;
    const auto smaller = make_isolated(words, replay.index, campaign);
    if (!smaller) return false;
    const CaseOutcome now = try_isolated(*smaller, campaign, kCaseSeconds);
    return now.oracle == "crash" && now.kind == outcome.kind;
  });
}

// By its choices, where that still makes the case.
std::optional<ReplayCase> shrunk_by_choices(const ReplayCase& replay,
                                            const CampaignConfig& campaign,
                                            const CaseOutcome& outcome,
                                            const ShrinkLimits& limits) {
  const auto choices = parse_choices(replay.choices);
  if (!choices) return {};
  const auto again = make_isolated(*choices, replay.index, campaign);
  if (!again || again->program != replay.program) return {};
  std::optional<std::vector<std::uint32_t>> smaller;
  if (outcome.oracle == "crash") {
    smaller = crashing_choices(replay, campaign, outcome, *choices,
                               std::min(limits.tries, kChoicesTries));
  } else {
    const ProcessResult done = run_forked(
        [&] {
          return print_choices(shrink_case(*choices, outcome.kind, campaign.fuzz,
                                           std::min(limits.tries, kChoicesTries)));
        },
        limits.seconds);
    if (done.end.fine()) smaller = parse_choices(done.output);
  }
  if (!smaller) return {};
  auto made = make_isolated(*smaller, replay.index, campaign);
  return made ? std::optional(std::move(*made)) : std::nullopt;
}

// By reducing its program. The result need not be what a choice sequence makes.
std::optional<ReplayCase> shrunk_by_program(const ReplayCase& replay,
                                            const CampaignConfig& campaign,
                                            const CaseOutcome& outcome,
                                            const ShrinkLimits& limits) {
  const ProcessResult done = run_forked(
      [&] {
        auto made = *case_of(replay, campaign.fuzz.transforms);
        const auto small = shrink_case(std::move(made), outcome.kind, campaign.fuzz, limits.tries);
        const auto choices = parse_choices(replay.choices);
        return json_line(replay_json(replay_case(replay.index, campaign, *small,
                                                 choices.value_or(std::vector<std::uint32_t>()))));
      },
      limits.seconds);
  auto read = read_replay(done.output);
  if (!done.end.fine() || !read) return {};
  return std::move(*read);
}

} // namespace

ReplayCase shrink_isolated(const ReplayCase& replay, const CampaignConfig& campaign,
                           const CaseOutcome& outcome, const ShrinkLimits& limits) {
  ReplayCase small = shrunk_by_choices(replay, campaign, outcome, limits).value_or(replay);
  if (outcome.oracle != "crash" && !interrupted())
    small = shrunk_by_program(small, campaign, outcome, limits).value_or(small);
  const CaseOutcome now = try_isolated(small, campaign, limits.seconds);
  if (now.what != "counterexample") return replay;
  small.oracle = now.oracle;
  small.transform = now.transform;
  small.kind = now.kind;
  small.report = now.report;
  return small;
}

} // namespace sourir
