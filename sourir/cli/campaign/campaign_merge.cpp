// `campaign merge`: the union of what databases have.
#include "sourir/cli/campaign/campaign.h"
#include "sourir/cli/campaign/campaign_setup.h"
#include "sourir/fuzz/campaign_report.h"
#include "sourir/fuzz/host/campaign_files.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"
#include "sourir/syntax/diagnostics.h"

#include <fmt/format.h>

namespace sourir {

int run_campaign_merge(const CampaignMergeOptions& options) {
  return with_database([&] {
    const auto summary = merge_campaigns(options.out, options.in);
    if (!summary) return say_error(summary.error().message), exit_status::kUnwritable;
    standard_output().write(fmt::format("{} of {} batches, {} programs, {}\n", summary->batches,
                                        summary->expected, grouped(summary->programs()),
                                        counted(summary->counterexamples(), "counterexample")));
    return summary->complete() ? exit_status::kFine : exit_status::kInconclusive;
  });
}

} // namespace sourir
