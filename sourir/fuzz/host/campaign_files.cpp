#include "sourir/fuzz/host/campaign_files.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>

namespace sourir {
namespace {

// A variable of the environment as a number.
std::optional<std::uint64_t> environment_number(const char* name) {
  const char* const value = std::getenv(name);
  if (value == nullptr) return {};
  const std::string_view text(value);
  std::uint64_t n = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
  if (error != std::errc{} || end != text.data() + text.size()) return {};
  return n;
}

CampaignPlan common_plan(const std::vector<std::string>& files) {
  const CampaignPlan plan = CampaignStore(files.front()).plan();
  for (const std::string& file : files)
    if (const std::string difference = plan_difference(plan, CampaignStore(file).plan());
        !difference.empty())
      throw WrongDatabase(fmt::format("'{}' and '{}' are of different campaigns: {}", files.front(),
                                      file, difference));
  return plan;
}

// The file in which the union is made; it is renamed when it is complete.
struct Draft {
  std::string path;
  CampaignLock lock;

  void remove() const {
    std::error_code ignored;
    for (const char* const suffix : {"", "-journal"})
      std::filesystem::remove(path + suffix, ignored);
  }
};

} // namespace

Result<Shard> shard_of_slurm_task() {
  const auto id = environment_number("SLURM_ARRAY_TASK_ID");
  const auto count = environment_number("SLURM_ARRAY_TASK_COUNT");
  if (!id || !count) return Shard{};
  const std::uint64_t least = environment_number("SLURM_ARRAY_TASK_MIN").value_or(1);
  const std::uint64_t step = environment_number("SLURM_ARRAY_TASK_STEP").value_or(1);
  if (step == 0 || *id < least || (*id - least) % step != 0 || (*id - least) / step >= *count)
    return failure("task {} is none of an array of {}", *id, *count);
  return Shard{(*id - least) / step + 1, *count};
}

std::string shard_file(const std::string& db, Shard shard) {
  return shard.whole() ? db : fmt::format("{}.{}-of-{}", db, shard.number, shard.of);
}

std::string CampaignLock::take(const std::string& path) {
  constexpr int kTries = 100, kMicroseconds = 50'000; // its processes end a little after it
  constexpr mode_t kMode = 0666;
  file_ = OpenFile(open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, kMode));
  if (file_.fd() < 0) return fmt::format("cannot write '{}': {}", path, std::strerror(errno));
  for (int i = 0; i < kTries; ++i) {
    if (flock(file_.fd(), LOCK_EX | LOCK_NB) == 0) return {};
    usleep(kMicroseconds);
  }
  return fmt::format("'{}' is in use by another campaign", path);
}

Result<CampaignSummary> merge_campaigns(const std::string& out,
                                        const std::vector<std::string>& in) {
  std::vector<std::string> files = in;
  std::error_code error;
  // An existing union stays part of it.
  if (std::filesystem::exists(out, error)) files.push_back(out);
  const CampaignPlan plan = common_plan(files);
  Draft draft{.path = out + ".merging", .lock = {}};
  if (const std::string problem = draft.lock.take(draft.path); !problem.empty())
    return failure("{}", problem);
  CampaignSummary summary;
  {
    // The lock stays on the file that it was taken on: the rest of a killed merge is truncated, not
    // replaced.
    std::filesystem::remove(draft.path + "-journal", error);
    std::filesystem::resize_file(draft.path, 0, error);
    CampaignStore store(draft.path, plan, Shard{});
    for (const std::string& file : files) store.add_all(file);
    summary = store.summary();
  }
  std::filesystem::rename(draft.path, out, error);
  if (error) {
    draft.remove();
    return failure("cannot write '{}': {}", out, error.message());
  }
  return summary;
}

} // namespace sourir
