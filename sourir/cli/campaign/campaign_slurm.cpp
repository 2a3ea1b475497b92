// `sourir campaign slurm`: a batch file for the shards of a campaign.
#include "sourir/cli/campaign/campaign.h"

#include "sourir/cli/campaign/campaign_setup.h"
#include "sourir/cli/load_file.h"
#include "sourir/os/output.h"
#include "sourir/os/own_path.h"

#include <fmt/format.h>

#include <filesystem>

namespace sourir {

namespace {

constexpr std::uint64_t kMostShards = 100'000;

// The text as one word of a shell.
std::string shell_word(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// The flags of the campaign, in the order of the help.
std::string campaign_words(const CampaignOptions& o) {
  std::string out;
  const auto add = [&](const char* flag, const std::string& value) {
    out += fmt::format(" \\\n    {} {}", flag, shell_word(value));
  };
  const auto number = [&](const char* flag, std::uint64_t value, std::uint64_t usual) {
    if (value != usual) add(flag, std::to_string(value));
  };
  const CampaignOptions usual;
  add("--programs", std::to_string(o.programs));
  add("--seed", std::to_string(o.seed));
  add("--passes", o.passes);
  if (o.oracles != usual.oracles) add("--oracles", o.oracles);
  if (!o.without.empty()) add("--without", o.without);
  number("--size", o.size, usual.size);
  number("--chain", o.chain, usual.chain);
  number("--fuel", o.fuel, usual.fuel);
  number("--batch", o.batch, usual.batch);
  number("--case-timeout", o.case_seconds, usual.case_seconds);
  number("--exec-timeout", o.exec_seconds, usual.exec_seconds);
  number("--mutant", o.mutant, usual.mutant);
  return out;
}

constexpr const char* kScript = R"sh(#!/bin/bash
# A campaign of sourir in {shards} shards. `bash THIS_FILE` hands in an array of jobs, one for each
# shard, and a job behind them that puts their results together and reports. A shard that is
# interrupted goes on where it was when it runs again: handing in all of it again is harmless.
#SBATCH --job-name=sourir-campaign
#SBATCH --cpus-per-task={jobs}
#SBATCH --requeue
#SBATCH --open-mode=append
{partition}set -u
sourir={sourir}
db={db}
cd {folder} || exit

case "${{1:-}}" in
shard)
  "$sourir" campaign --db "$db" --jobs "${{SLURM_CPUS_PER_TASK:-1}}" \
    --shard "$SLURM_ARRAY_TASK_ID/{shards}"{words}
  status=$?
  # 1: counterexamples, 2: something could not be told. The shard is done all the same.
  [ "$status" -le 2 ] && exit 0
  exit "$status"
  ;;
merge)
  shards=()
  for k in $(seq {shards}); do
    if [ -e "$db.$k-of-{shards}" ]; then shards+=("$db.$k-of-{shards}"); fi
  done
  if [ "${{#shards[@]}}" -eq 0 ]; then echo "no shard is complete" >&2; exit 66; fi
  "$sourir" campaign merge "$db" "${{shards[@]}}"
  "$sourir" campaign report --db "$db" --html "$db.html"
  "$sourir" campaign report --db "$db" >"$db.txt"
  status=$?
  cat "$db.txt"
  exit "$status"
  ;;
*)
  array=$(sbatch --parsable --array=1-{shards} "$0" shard) || exit
  echo "shards: job ${{array%%;*}}"
  merge=$(sbatch --parsable --cpus-per-task=1 --dependency="afterany:${{array%%;*}}" "$0" merge) || exit
  echo "report: job ${{merge%%;*}}, which writes $db.txt and $db.html"
  ;;
esac
)sh";

} // namespace

int run_campaign_slurm(const CampaignSlurmOptions& options) {
  CampaignOptions o = options.campaign;
  if (options.shards > kMostShards)
    return usage_error("campaign slurm", fmt::format("--shards is at most {}", kMostShards));
  if (o.db.empty()) return usage_error("campaign slurm", "--db FILE is missing: where results go");
  const auto campaign = campaign_of(o); // reports errors before the batch file is written
  if (const int* const status = std::get_if<int>(&campaign)) return *status;
  std::error_code error;
  const std::string folder = std::filesystem::current_path(error).string();
  const std::string partition =
      options.partition.empty() ? "" : fmt::format("#SBATCH --partition={}\n", options.partition);
  using fmt::arg;
  standard_output().write(
      fmt::format(fmt::runtime(kScript), arg("shards", options.shards),
                  arg("jobs", o.jobs == 0 ? 1 : o.jobs), arg("partition", partition),
                  arg("sourir", shell_word(own_path())), arg("db", shell_word(o.db)),
                  arg("folder", shell_word(folder)), arg("words", campaign_words(o))));
  return 0;
}

} // namespace sourir
