#include "sourir/fuzz/campaign_plan.h"

#include "sourir/bisim/generate/choice_sequence.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <charconv>
#include <vector>

namespace sourir {

namespace {

constexpr std::uint64_t kMostPrograms = std::uint64_t{1} << 40;

// The whole text as a number of at least `least`.
bool read_number(std::string_view text, std::uint64_t& into, std::uint64_t least) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), into);
  return error == std::errc{} && end == text.data() + text.size() && into >= least;
}

struct NumberRow {
  const char* name;
  std::uint64_t CampaignPlan::* member;
  std::uint64_t least;
};
constexpr NumberRow kNumberRows[] = {
    {"programs", &CampaignPlan::programs, 1}, {"seed", &CampaignPlan::seed, 0},
    {"batch", &CampaignPlan::batch, 1},       {"size", &CampaignPlan::size, 1},
    {"chain", &CampaignPlan::chain, 1},       {"fuel", &CampaignPlan::fuel, 1},
    {"mutant", &CampaignPlan::mutant, 0},
};
struct TextRow {
  const char* name;
  std::string CampaignPlan::* member;
};
constexpr TextRow kTextRows[] = {{"passes", &CampaignPlan::passes},
                                 {"engines", &CampaignPlan::engines},
                                 {"looked-at", &CampaignPlan::under_test},
                                 {"tool", &CampaignPlan::tool}};

} // namespace

std::uint64_t case_seed(std::uint64_t campaign_seed, std::uint64_t index) {
  std::uint64_t state = campaign_seed;
  state = next_random(state) ^ index;
  return next_random(state);
}

PlanTexts plan_texts(const CampaignPlan& plan) {
  PlanTexts texts;
  for (const NumberRow& row : kNumberRows) texts[row.name] = std::to_string(plan.*row.member);
  for (const TextRow& row : kTextRows) texts[row.name] = plan.*row.member;
  texts["oracles"] = print_oracles(plan.oracles);
  return texts;
}

Result<CampaignPlan> read_plan(const PlanTexts& texts) {
  CampaignPlan plan;
  const auto missing = [&](const char* name) { return !texts.contains(name); };
  for (const NumberRow& row : kNumberRows) {
    if (missing(row.name)) return failure("the plan has no {}", row.name);
    const std::string& text = texts.at(row.name);
    if (!read_number(text, plan.*row.member, row.least))
      return failure("{} is '{}', which is no number that it may be", row.name, text);
  }
  for (const TextRow& row : kTextRows) {
    if (missing(row.name) && row.member == &CampaignPlan::engines) continue; // of older versions
    if (missing(row.name)) return failure("the plan has no {}", row.name);
    plan.*row.member = texts.at(row.name);
  }
  if (missing("oracles")) return failure("the plan has no oracles");
  auto oracles = parse_oracles(texts.at("oracles"));
  if (!oracles) return failure(oracles.error());
  plan.oracles = *oracles;
  if (plan.programs > kMostPrograms || plan.size > kMostPrograms || plan.chain > kMostPrograms)
    return failure("the plan has a number that is too large");
  return plan;
}

std::string plan_difference(const CampaignPlan& there, const CampaignPlan& here) {
  const PlanTexts theirs = plan_texts(there), ours = plan_texts(here);
  std::vector<std::string> differences;
  for (const auto& [name, text] : theirs)
    if (text != ours.at(name) && name == "looked-at")
      differences.push_back("there are other passes");
    else if (text != ours.at(name))
      differences.push_back(fmt::format("{} is {} there and {} here", name, text, ours.at(name)));
  return fmt::format("{}", fmt::join(differences, ", "));
}

std::string print_oracles(OracleSet oracles) {
  if (oracles == OracleSet::all()) return "all";
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < kOracleNames.size(); ++i)
    if (oracles.has(static_cast<Oracle>(i))) names.push_back(kOracleNames[i]);
  return fmt::format("{}", fmt::join(names, ","));
}

Result<OracleSet> parse_oracles(std::string_view text) {
  if (text == "all") return OracleSet::all();
  OracleSet oracles;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    const std::string_view name = text.substr(0, comma);
    std::size_t i = 0;
    while (i < kOracleNames.size() && kOracleNames[i] != name) ++i;
    if (i == kOracleNames.size())
      return failure("there is no oracle '{}'; there are all, {}", name,
                     fmt::join(kOracleNames, ", "));
    oracles.set(static_cast<Oracle>(i));
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return oracles;
}

Result<Shard> parse_shard(std::string_view text) {
  Shard shard;
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos || !read_number(text.substr(0, slash), shard.number, 1) ||
      !read_number(text.substr(slash + 1), shard.of, 1) || shard.number > shard.of)
    return failure("'{}' is no shard; it is written K/N with K from 1 to N, as in 3/10", text);
  return shard;
}

} // namespace sourir
