// `campaign merge`: the union of what databases have.
#include "sourir/cli/campaign/campaign.h"
#include "sourir/cli/campaign/campaign_setup.h"
#include "sourir/cli/load_file.h"
#include "sourir/fuzz/campaign_report.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"

#include <fmt/format.h>

#include <filesystem>

namespace sourir {

namespace {

CampaignPlan common_plan(const std::vector<std::string>& files) {
  const CampaignPlan plan = CampaignStore(files.front()).plan();
  for (const std::string& file : files)
    if (const std::string difference = plan_difference(plan, CampaignStore(file).plan());
        !difference.empty())
      throw WrongDatabase(fmt::format("'{}' and '{}' are of different campaigns: {}", files.front(),
                                      file, difference));
  return plan;
}

// Where the union is made; it gets its name when it is complete.
struct Draft {
  std::string path;
  CampaignLock lock;

  void remove() const {
    std::error_code ignored;
    for (const char* const suffix : {"", "-journal"})
      std::filesystem::remove(path + suffix, ignored);
  }
};

int merge(const std::string& out, const std::vector<std::string>& in) {
  std::vector<std::string> files = in;
  std::error_code error;
  // What is there already stays.
  if (std::filesystem::exists(out, error)) files.push_back(out);
  const CampaignPlan plan = common_plan(files);
  Draft draft{.path = out + ".merging", .lock = {}};
  if (const std::string problem = draft.lock.take(draft.path); !problem.empty())
    return say_error(problem), exit_status::kUnwritable;
  CampaignSummary summary;
  {
    // The lock stays on the file that it was taken on: what is left of a merge that was killed is
    // made empty, not replaced.
    std::filesystem::remove(draft.path + "-journal", error);
    std::filesystem::resize_file(draft.path, 0, error);
    CampaignStore store(draft.path, plan, Shard{});
    for (const std::string& file : files) store.add_all(file);
    summary = store.summary();
  }
  std::filesystem::rename(draft.path, out, error);
  if (error) {
    draft.remove();
    say_error(fmt::format("cannot write '{}': {}", out, error.message()));
    return exit_status::kUnwritable;
  }
  standard_output().write(fmt::format("{} of {} batches, {} programs, {}\n", summary.batches,
                                      summary.expected, grouped(summary.programs()),
                                      counted(summary.counterexamples(), "counterexample")));
  return summary.complete() ? exit_status::kFine : exit_status::kInconclusive;
}

} // namespace

int run_campaign_merge(const CampaignMergeOptions& options) {
  return with_database([&] { return merge(options.out, options.in); });
}

} // namespace sourir
