#include "sourir/fuzz/campaign_summary.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace sourir {

namespace {

constexpr std::array kHeads = {"outcome/", "size/",   "pass/",         "rule/",
                               "forced/",  "oracle/", "inconclusive/", "states"};

std::uint64_t as_number(const std::string& text) {
  std::uint64_t n = 0;
  std::from_chars(text.data(), text.data() + text.size(), n);
  return n;
}

std::vector<std::string> under_test(const CampaignPlan& plan) {
  std::vector<std::string> passes;
  for (std::size_t at = 0; at < plan.under_test.size();) {
    const std::size_t end = std::min(plan.under_test.find('\n', at), plan.under_test.size());
    passes.push_back(plan.under_test.substr(at, end - at));
    at = end + 1;
  }
  return passes;
}

} // namespace

std::uint64_t CampaignSummary::programs() const {
  std::uint64_t sum = 0;
  for (const NamedCount& outcome : counts_below(counters, "outcome")) sum += outcome.count;
  return sum;
}

std::vector<NamedCount> counts_below(const Counters& counters, const std::string& head) {
  const std::string prefix = head + "/";
  std::vector<NamedCount> found;
  for (auto at = counters.all().lower_bound(prefix);
       at != counters.all().end() && at->first.starts_with(prefix); ++at)
    found.push_back({at->first.substr(prefix.size()), at->second});
  return found;
}

std::vector<NamedCount> counts_by_number(const Counters& counters, const std::string& head) {
  std::vector<NamedCount> found = counts_below(counters, head);
  std::ranges::stable_sort(found, {}, [](const NamedCount& c) { return as_number(c.name); });
  return found;
}

std::vector<PassCount> pass_counts(const CampaignSummary& summary) {
  std::vector<PassCount> found;
  for (const std::string& pass : under_test(summary.plan)) found.push_back({pass});
  for (const NamedCount& count : counts_below(summary.counters, "pass")) {
    const std::size_t slash = count.name.rfind('/'); // a pass may have one in its text
    if (slash == std::string::npos) continue;
    const std::string pass = count.name.substr(0, slash), what = count.name.substr(slash + 1);
    auto row = std::ranges::find(found, pass, &PassCount::pass);
    if (row == found.end()) row = found.insert(found.end(), PassCount{pass});
    if (what == "tried") row->tried += count.count;
    if (what == "changed") row->changed += count.count;
    if (what == "rewrites") row->rewrites += count.count;
  }
  std::ranges::sort(found, {}, &PassCount::pass);
  return found;
}

std::vector<std::string> idle_passes(const CampaignSummary& summary) {
  std::vector<std::string> idle;
  for (const std::string& pass : under_test(summary.plan))
    if (summary.counters.of("pass/" + pass + "/changed") == 0) idle.push_back(pass);
  return idle;
}

std::vector<NamedCount> other_counts(const Counters& counters) {
  std::vector<NamedCount> found;
  for (const auto& [name, n] : counters.all())
    if (std::ranges::none_of(kHeads, [&](const char* head) { return name.starts_with(head); }))
      found.push_back({name, n});
  return found;
}

} // namespace sourir
