// The report of a campaign in its three forms. Without timings and names of files: campaigns of one
// plan have one report.
#pragma once

#include "sourir/fuzz/campaign_summary.h"
#include "sourir/semantics/text/value_json.h"

#include <string>

namespace sourir {

std::string campaign_text(const CampaignSummary& summary);
Json campaign_json(const CampaignSummary& summary); // docs/schemas/campaign.schema.json
// A page that needs nothing else, light or dark as the reader has it.
std::string campaign_html(const CampaignSummary& summary);

// kFound, kInconclusive (some of it is missing, or a pass never did anything), kFine.
int campaign_status(const CampaignSummary& summary);

// 1234567 as "1,234,567"; a share as "12.3 %"; how sizes of programs are called: "64-127".
std::string grouped(std::uint64_t n);
std::string percent(std::uint64_t part, std::uint64_t whole);
std::string size_range(const std::string& least);
// "crash", "hang": processes; else what an oracle says, in words.
std::string finding_title(const FindingGroup& group);
// One line: what the campaign says, and what it does not.
std::string campaign_verdict(const CampaignSummary& summary);

} // namespace sourir
