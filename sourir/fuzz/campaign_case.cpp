#include "sourir/fuzz/campaign_case.h"

#include "sourir/semantics/schedule.h"
#include "sourir/syntax/json/load.h"
#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

namespace {

void count(const char* outcome, BatchResult& result) {
  ++result.programs;
  result.counters.add(std::string("outcome/") + outcome);
}

void add_finding(CampaignFinding finding, BatchResult& result) {
  if (finding.kept && ++result.kept[finding_key(finding)] > kKeptOfKind) finding.kept.reset();
  count("counterexample", result);
  result.findings.push_back(std::move(finding));
}

} // namespace

std::string finding_key(const CampaignFinding& finding) {
  return finding.oracle + "\n" + finding.transform + "\n" + finding.kind;
}

CampaignConfig campaign_config(const CampaignPlan& plan, std::vector<Transform> transforms,
                               std::vector<std::size_t> under_test) {
  FuzzPlan fuzz{.transforms = std::move(transforms),
                .under_test = std::move(under_test),
                .oracles = plan.oracles,
                .size = static_cast<std::uint32_t>(plan.size),
                .chain = static_cast<std::uint32_t>(plan.chain),
                .fuel = plan.fuel};
  return {plan, std::move(fuzz)};
}

std::unique_ptr<FuzzCase> numbered_case(std::uint64_t index, const CampaignConfig& campaign,
                                        std::vector<std::uint32_t>* words) {
  ChoiceSequence choices(case_seed(campaign.plan.seed, index));
  auto made = make_case(choices, campaign.fuzz);
  if (words != nullptr) *words = choices.used();
  return made;
}

ReplayCase replay_case(std::uint64_t index, const CampaignConfig& campaign,
                       const FuzzCase& fuzz_case, const std::vector<std::uint32_t>& choices) {
  ReplayCase replay{.plan = plan_texts(campaign.plan),
                    .index = index,
                    .choices = print_choices(choices),
                    .program = print(fuzz_case.program, fuzz_case.names),
                    .inputs = {},
                    .pipeline = {},
                    .deopt = fuzz_case.deopt,
                    .feedback_seed = fuzz_case.feedback_seed};
  for (const Value& value : fuzz_case.inputs)
    if (const auto literal = to_literal(value))
      replay.inputs.push_back(print(*literal, fuzz_case.names));
  for (const std::size_t i : fuzz_case.pipeline)
    replay.pipeline.push_back(campaign.fuzz.transforms[i].text);
  return replay;
}

void try_numbered_case(std::uint64_t index, const CampaignConfig& campaign, BatchResult& result) {
  std::vector<std::uint32_t> choices;
  const auto fuzz_case = numbered_case(index, campaign, &choices);
  const FuzzResult tried = try_case(*fuzz_case, campaign.fuzz);
  result.counters.add(tried.counters);
  if (!tried.finding) return count(tried.inconclusive ? "inconclusive" : "passed", result);
  const Finding& f = *tried.finding;
  CampaignFinding found{index, std::string(name_of(f.oracle)), f.transform, f.kind, {}};
  found.kept = replay_case(index, campaign, *fuzz_case, choices);
  found.kept->oracle = found.oracle;
  found.kept->transform = found.transform;
  found.kept->kind = found.kind;
  found.kept->report = f.report;
  add_finding(std::move(found), result);
}

void add_lost_case(CampaignFinding finding, BatchResult& result) {
  add_finding(std::move(finding), result);
}

Result<std::unique_ptr<FuzzCase>> case_of(const ReplayCase& replay,
                                          const std::vector<Transform>& transforms) {
  auto made = std::make_unique<FuzzCase>();
  Loaded loaded = load("program", replay.program, made->names);
  if (loaded.problems.has_errors()) {
    const Diagnostic first = loaded.problems.sorted().front();
    return failure("its program is rejected: {}", render(first, loaded.source, false));
  }
  made->program = std::move(loaded.program);
  for (const std::string& text : replay.inputs) {
    const auto literal = parse_literal(text, made->names);
    if (!literal) return failure("its input '{}' is no literal", text);
    made->inputs.push_back(to_value(*literal));
  }
  for (const std::string& text : replay.pipeline) {
    const auto found =
        std::ranges::find_if(transforms, [&](const Transform& t) { return t.text == text; });
    if (found == transforms.end()) return failure("there is no pass '{}'", text);
    made->pipeline.push_back(static_cast<std::size_t>(found - transforms.begin()));
  }
  const auto schedule = parse_schedule(replay.deopt, made->names);
  if (!replay.deopt.empty() && !schedule)
    return failure("its --deopt text: {}", schedule.error().message);
  if (!replay.deopt.empty() && schedule->mapped)
    return failure("its --deopt text '{}' needs a state map, which a case has not", replay.deopt);
  made->deopt = replay.deopt;
  made->feedback_seed = replay.feedback_seed;
  return made;
}

} // namespace sourir
