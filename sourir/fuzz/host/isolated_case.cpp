#include "sourir/fuzz/host/isolated_case.h"

#include "sourir/bisim/reduce/reduce_program.h"
#include "sourir/fuzz/campaign_form.h"
#include "sourir/fuzz/shrink_case.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

namespace sourir {
namespace {

// Cases that are tried by their choices: few, as reducing the program is quicker afterwards; a case
// that ends its process has no other way.
constexpr std::uint64_t kChoicesTries = 80, kCrashTries = 500;

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

using Clock = std::chrono::steady_clock;

// The choices of a case that they still make; empty: none do.
std::optional<std::vector<std::uint32_t>> choices_of(const ReplayCase& replay,
                                                     const CampaignConfig& campaign) {
  auto choices = parse_choices(replay.choices);
  if (!choices) return {};
  const auto again = make_isolated(*choices, replay.index, campaign);
  if (!again || again->program != replay.program) return {};
  return std::move(*choices);
}

// A case that ends its process: by its choices, with a process for each that is tried.
void shrink_crash(ShrunkCase& shrunk, const CampaignConfig& campaign, const CaseOutcome& outcome,
                  const ShrinkLimits& limits) {
  constexpr std::uint64_t kCaseSeconds = 10;
  auto choices = choices_of(shrunk.replay, campaign);
  if (!choices) return;
  const auto end = Clock::now() + std::chrono::seconds(limits.seconds);
  std::uint64_t instructions = instructions_of(shrunk.replay, campaign);
  const std::uint64_t tries = std::min(limits.tries, kCrashTries);
  shrink_choices(std::move(*choices), tries, [&](const std::vector<std::uint32_t>& words) {
    if (interrupted()) shrunk.end = ShrunkCase::End::Interrupted;
    if (Clock::now() > end) shrunk.end = ShrunkCase::End::OutOfTime;
    if (shrunk.end != ShrunkCase::End::Done) return false;
    ++shrunk.tried;
    if (limits.progress) limits.progress(shrunk.tried, instructions);
    auto smaller = make_isolated(words, shrunk.replay.index, campaign);
    if (!smaller) return false;
    const CaseOutcome now = try_isolated(*smaller, campaign, kCaseSeconds);
    if (now.oracle != "crash" || now.kind != outcome.kind) return false;
    shrunk.replay = *std::move(smaller);
    instructions = instructions_of(shrunk.replay, campaign);
    return true;
  });
}

// In a fork: shrinks by the choices, if there are any, and then the program, whose result need not
// be what a choice sequence makes. Writes a line of JSON after each smaller case, and from time to
// time.
void shrink_and_report(const ReplayCase& replay, const CampaignConfig& campaign,
                       const std::optional<std::vector<std::uint32_t>>& choices,
                       const CaseOutcome& outcome, std::uint64_t most_tries, int out) {
  std::uint64_t tried = 0;
  auto shown = Clock::now();
  const std::vector<std::uint32_t> words =
      parse_choices(replay.choices).value_or(std::vector<std::uint32_t>());
  const auto report = [&](bool smaller, const FuzzCase& best) {
    ++tried;
    if (!smaller && Clock::now() - shown < std::chrono::milliseconds(200)) return;
    shown = Clock::now();
    Json line{{"tried", tried}, {"instructions", instructions_of(best.program)}};
    if (smaller) line["case"] = replay_json(replay_case(replay.index, campaign, best, words));
    write_to(out, json_line(line));
  };
  auto fuzz_case = *case_of(replay, campaign.fuzz.transforms); // it was examined before
  if (choices) {
    ChoiceSequence small(shrink_case(*choices, outcome.kind, campaign.fuzz,
                                     {std::min(most_tries, kChoicesTries), report}));
    fuzz_case = make_case(small, campaign.fuzz);
  }
  shrink_case(std::move(fuzz_case), outcome.kind, campaign.fuzz, {most_tries, report});
}

void shrink_in_fork(ShrunkCase& shrunk, const CampaignConfig& campaign, const CaseOutcome& outcome,
                    const ShrinkLimits& limits) {
  const ReplayCase replay = shrunk.replay;
  const auto choices = choices_of(replay, campaign);
  Process process(
      [&](int out) { shrink_and_report(replay, campaign, choices, outcome, limits.tries, out); });
  std::size_t read = 0;
  const auto read_lines = [&](const std::string& so_far) {
    for (std::size_t end; (end = so_far.find('\n', read)) != so_far.npos; read = end + 1) {
      const Json line = Json::parse(so_far.substr(read, end - read));
      shrunk.tried = line.at("tried");
      if (limits.progress) limits.progress(shrunk.tried, line.at("instructions"));
      if (!line.contains("case")) continue;
      if (auto smaller = read_replay(json_text(line.at("case"))))
        shrunk.replay = *std::move(smaller);
    }
  };
  const ProcessResult done =
      process.run({.seconds = static_cast<double>(limits.seconds)}, read_lines);
  if (done.stop == ProcessResult::Stop::OutOfTime) shrunk.end = ShrunkCase::End::OutOfTime;
  if (done.stop == ProcessResult::Stop::Interrupted) shrunk.end = ShrunkCase::End::Interrupted;
}

} // namespace

ShrunkCase shrink_isolated(const ReplayCase& replay, const CampaignConfig& campaign,
                           const CaseOutcome& outcome, const ShrinkLimits& limits) {
  ShrunkCase shrunk{.replay = replay};
  const bool crash = outcome.oracle == "crash";
  (crash ? shrink_crash : shrink_in_fork)(shrunk, campaign, outcome, limits);
  CaseOutcome now = outcome;
  now.report = "interrupted before there was a report\n";
  if (shrunk.end != ShrunkCase::End::Interrupted)
    now = try_isolated(shrunk.replay, campaign, limits.seconds);
  if (now.what != "counterexample") {
    shrunk.replay = replay;
    now = outcome;
  }
  shrunk.replay.oracle = now.oracle;
  shrunk.replay.transform = now.transform;
  shrunk.replay.kind = now.kind;
  shrunk.replay.report = now.report;
  return shrunk;
}

} // namespace sourir
