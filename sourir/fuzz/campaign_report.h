// The summary of a campaign, and its report in three forms. Without timings and names of files:
// campaigns of one plan have one summary and one report.
#pragma once

#include "sourir/fuzz/campaign_plan.h"
#include "sourir/fuzz/fuzz_case.h"
#include "sourir/semantics/text/state_text.h"

#include <string>
#include <vector>

namespace sourir {

// What a campaign has exercised and found so far.
struct FindingGroup {
  std::string oracle, transform, kind;
  std::uint64_t count = 0;
  std::vector<std::uint64_t> first; // numbers of cases, some
  std::uint64_t shrunk = 0;         // instructions of the smallest one that was shrunk; 0: none
};

struct CampaignSummary {
  CampaignPlan plan;
  Shard shard;
  std::uint64_t batches = 0;  // stored
  std::uint64_t expected = 0; // in all
  Counters counters;
  std::vector<FindingGroup> findings; // by oracle, pass and kind

  bool complete() const { return batches == expected; }
  std::uint64_t outcome(const std::string& name) const { return counters.of("outcome/" + name); }
  std::uint64_t programs() const;
  std::uint64_t counterexamples() const { return outcome("counterexample"); }
};

// Counters "HEAD/NAME" as NAME and number, in the order of their names.
struct NamedCount {
  std::string name;
  std::uint64_t count = 0;
};
std::vector<NamedCount> counts_below(const Counters& counters, const std::string& head);
// The same where NAME is a number, in the order of numbers.
std::vector<NamedCount> counts_by_number(const Counters& counters, const std::string& head);

struct PassCount {
  std::string pass;
  std::uint64_t tried = 0, changed = 0, rewrites = 0;
};
// Of all passes in pipelines, also of those that are under test and were never tried.
std::vector<PassCount> pass_counts(const CampaignSummary& summary);
// Those under test that have never changed anything: the campaign says nothing about them.
std::vector<std::string> idle_passes(const CampaignSummary& summary);
// Counters that no section of a report shows.
std::vector<NamedCount> other_counts(const Counters& counters);

std::string campaign_text(const CampaignSummary& summary);
Json campaign_json(const CampaignSummary& summary); // docs/schemas/campaign.schema.json
// A self-contained page, light or dark as the reader's setting.
std::string campaign_html(const CampaignSummary& summary);

// kFound, kInconclusive (some of it is missing, or a pass never did anything), kFine.
int campaign_status(const CampaignSummary& summary);

// 1234567 as "1,234,567"; a share as "12.3 %"; a range of program sizes from its least: "64-127".
std::string grouped(std::uint64_t n);
std::string percent(std::uint64_t part, std::uint64_t whole);
std::string size_range(const std::string& least);
// The kind of the group, with its pass where the kind does not begin with it.
std::string finding_title(const FindingGroup& group);
// One line.
std::string campaign_verdict(const CampaignSummary& summary);

} // namespace sourir
