#include "sourir/fuzz/host/campaign_failures.h"

#include "sourir/fuzz/campaign_form.h"
#include "sourir/os/files.h"

#include <fmt/format.h>

#include <filesystem>

namespace sourir {

namespace {

constexpr std::uint64_t kFilesOfKind = 10;

} // namespace

void FailureFolder::write(std::uint64_t index, const ReplayCase& replay) {
  const std::string file = fmt::format("{}/{}.json", path_, index);
  std::error_code ignored;
  if (std::filesystem::exists(file, ignored)) return;
  std::filesystem::create_directories(path_, ignored);
  const std::string problem = replace_file(file, json_text(replay_json(replay)));
  if (problem.empty()) return;
  path_.clear();
  problem_(problem);
}

void FailureFolder::add(const std::vector<CampaignFinding>& findings) {
  for (const CampaignFinding& f : findings)
    if (!path_.empty() && f.kept && written_[finding_key(f)]++ < kFilesOfKind)
      write(f.index, *f.kept);
}

void FailureFolder::bring_up_to_date(CampaignStore& store) {
  if (path_.empty()) return;
  for (const std::uint64_t index : store.first_of_each_kind(kFilesOfKind))
    if (const auto replay = store.replay(index); replay && !path_.empty()) write(index, *replay);
}

} // namespace sourir
