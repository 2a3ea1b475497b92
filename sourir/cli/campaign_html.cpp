#include "sourir/cli/campaign_report.h"
namespace sourir {
std::string campaign_html(const CampaignSummary& summary) { return campaign_text(summary); }
} // namespace sourir
