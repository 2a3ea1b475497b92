#include "sourir/fuzz/host/mutation_test_run.h"

#include "sourir/analysis/mutant.h"
#include "sourir/bisim/reduce/shrink_tape.h"
#include "sourir/cli/campaign/campaign_replay.h"
#include "sourir/fuzz/campaign_form.h"
#include "sourir/syntax/text/printer.h"

namespace sourir {

namespace {

constexpr std::uint64_t kSmall = 15; // instructions
constexpr std::uint64_t kShrunk = 4; // cases of one bug, at most

// Whether the case is one without the bug, too, that ends its process or does not come back.
bool lost_without(std::uint64_t index, const CampaignTrials& campaign, std::uint64_t seconds) {
  const ForkedResult done = run_forked(
      [&] {
        select_mutant(0);
        BatchResult ignored;
        try_numbered_case(index, campaign, ignored);
        return std::string();
      },
      seconds);
  return !done.end.fine();
}

} // namespace

Hunt::Hunt(CampaignTrials campaign, HuntLimits limits, HuntNote& note)
    : campaign_(std::move(campaign)), limits_(limits), note_(note) {
  start(0);
}

void Hunt::start(std::uint64_t from) {
  note_.index = from;
  note_.clock.begin_process();
  note_.shrinking = false;
  process_ = Forked([this, from](int out) { search(from, out); });
}

double Hunt::seconds() const {
  return std::chrono::duration<double>(Clock::now() - begin_).count();
}
bool Hunt::over_time() const { return seconds() > static_cast<double>(limits_.seconds); }

// --- in the process

void Hunt::search(std::uint64_t from, int out) {
  const auto mutant = static_cast<int>(campaign_.plan.mutant);
  select_mutant(mutant);
  std::uint64_t shrunk = 0;
  for (std::uint64_t i = from; i < limits_.programs && !over_time(); ++i) {
    note_.index = i;
    note_.clock.begin_case();
    BatchResult result;
    try_numbered_case(i, campaign_, result);
    if (result.findings.empty()) continue;
    const CampaignFinding& f = result.findings.front();
    select_mutant(0);
    BatchResult without;
    try_numbered_case(i, campaign_, without);
    select_mutant(mutant);
    const bool its_fault = without.findings.empty();
    const Json line{{"at", i}, {"its_fault", its_fault}, {"oracle", f.oracle}, {"kind", f.kind}};
    if (!write_to(out, json_line(line))) return;
    if (!its_fault) continue;
    note_.shrinking = true;
    // What is still large may be small by another case.
    if (shrink(i, out) <= kSmall || ++shrunk == kShrunk) return;
    note_.shrinking = false;
  }
}

bool Hunt::guilty(TrialCase& trial) {
  if (!try_case(trial, campaign_.trials).finding) return false;
  select_mutant(0);
  const bool without = try_case(trial, campaign_.trials).finding.has_value();
  select_mutant(static_cast<int>(campaign_.plan.mutant));
  return !without;
}

std::uint64_t Hunt::tell_small(std::uint64_t index, const TrialCase& trial, int out) {
  const ReplayCase replay = replay_case(index, campaign_, trial, {});
  const std::uint64_t instructions = instructions_of(replay, campaign_);
  write_to(out, json_line({{"instructions", instructions}, {"program", replay.program}}));
  note_.clock.begin_case();
  return instructions;
}

// First by the tape, whatever is found then is the bug's fault; then the program itself, where it
// is the same kind that counts.
std::uint64_t Hunt::shrink(std::uint64_t index, int out) {
  note_.clock.begin_case();
  std::vector<std::uint32_t> tape;
  numbered_case(index, campaign_, &tape);
  const auto make = [&](const std::vector<std::uint32_t>& words) {
    Tape again(words);
    return make_case(again, campaign_.trials);
  };
  const auto small =
      shrink_tape(tape, limits_.tries / 6, [&](const auto& words) { return guilty(*make(words)); });
  auto trial = make(small);
  const std::uint64_t instructions = tell_small(index, *trial, out);
  const auto finding = try_case(*trial, campaign_.trials).finding;
  if (!finding) return instructions;
  trial = shrink_case(std::move(trial), finding->kind, campaign_.trials, limits_.tries);
  return guilty(*trial) ? tell_small(index, *trial, out) : instructions;
}

// --- in the one that waits

void Hunt::take_lines() {
  std::size_t at = 0;
  for (std::size_t end; (end = said_.find('\n', at)) != std::string::npos; at = end + 1) {
    const Json line = Json::parse(said_.substr(at, end - at));
    if (line.contains("program")) {
      const std::uint64_t instructions = line.at("instructions");
      if (result_.instructions != 0 && instructions >= result_.instructions) continue;
      result_.instructions = instructions;
      result_.program = line.at("program");
    } else if (!line.at("its_fault").get<bool>()) {
      ++result_.not_its_fault;
    } else if (!result_.caught) {
      result_.caught = true;
      result_.oracle = line.at("oracle");
      result_.kind = line.at("kind");
      result_.programs = line.at("at").get<std::uint64_t>() + 1;
      result_.seconds = seconds();
    }
  }
  said_.erase(0, at);
}

// The process is gone: whether that is all.
bool Hunt::ended() {
  const ProcessEnd end = process_.wait();
  if (result_.caught) return true; // shrunk, or not
  const std::uint64_t index = note_.index;
  if (end.fine()) {
    result_.programs = index + 1;
    result_.seconds = seconds();
    return true;
  }
  if (!lost_without(index, campaign_, limits_.case_seconds)) {
    result_.caught = true;
    result_.oracle = hangs_ ? "hang" : "crash";
    result_.kind = hangs_ ? "hang" : end.text();
    result_.programs = index + 1;
    result_.seconds = seconds();
    return true;
  }
  ++result_.not_its_fault;
  hangs_ = false;
  if (index + 1 >= limits_.programs || over_time()) return true;
  start(index + 1);
  return false;
}

bool Hunt::poll() {
  if (over_) return false;
  const bool open = process_.read_into(said_);
  take_lines();
  if (!open) return !(over_ = ended());
  constexpr std::uint64_t kShrinkFactor = 6; // of the time of one case
  const std::uint64_t allowed = limits_.case_seconds * (note_.shrinking ? kShrinkFactor : 1);
  if (!hangs_ && note_.clock.over(process_, allowed)) {
    hangs_ = true;
    process_.kill();
  }
  return true;
}

} // namespace sourir
