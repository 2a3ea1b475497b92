#include "sourir/cli/campaign/campaign_setup.h"

#include "sourir/cli/campaign/campaign_engines.h"
#include "sourir/cli/exec_pass.h"
#include "sourir/cli/load_file.h"
#include "sourir/cli/plugin_passes.h"
#include "sourir/fuzz/host/campaign_files.h"
#include "sourir/fuzz/host/caught_exceptions.h"
#include "sourir/fuzz/pass_transforms.h"
#include "sourir/fuzz/seeded_bugs.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/output.h"
#include "sourir/os/process.h"

#include <fmt/format.h>

#include <memory>

namespace sourir {
namespace {

// pass_transforms() with a limit of seconds for exec:CMD.
std::variant<PassTransforms, PipelineError> campaign_transforms(const std::string& text,
                                                                std::uint64_t exec_seconds) {
  const auto passes = std::make_shared<ExecPasses>(exec_seconds);
  passes->keep_errors();
  const auto ask = [passes](const std::string& command, const Program& program, Names& names) {
    return passes->ask(command, program, names);
  };
  return pass_transforms(text, ask, load_plugin);
}

constexpr std::uint64_t kMostSize = 100'000, kMostChain = 1'000;

std::string under_test(const PassTransforms& passes) {
  std::string text;
  const auto add = [&](const Transform& t) { text += (text.empty() ? "" : "\n") + t.text; };
  for (const std::size_t i : passes.under_test) add(passes.transforms[i]);
  if (passes.under_test.empty())
    for (const Transform& t : passes.transforms) add(t);
  return text;
}

std::string check(const CampaignOptions& o) {
  if (o.size > kMostSize) return fmt::format("--size is at most {}", kMostSize);
  if (o.chain > kMostChain) return fmt::format("--chain is at most {}", kMostChain);
  if (o.mutant != 0 &&
      !select_seeded_bug(static_cast<int>(std::min<std::uint64_t>(o.mutant, 9'999))))
    return seeded_bugs().empty() ? "this build has no seeded bugs; sourir-mutants has them"
                                 : fmt::format("there is no seeded bug {}", o.mutant);
  return {};
}

} // namespace

std::variant<CampaignConfig, int> campaign_of(const CampaignOptions& o) {
  if (const std::string problem = check(o); !problem.empty())
    return usage_error("campaign", problem);
  CampaignPlan plan{.programs = o.programs,
                    .seed = o.seed,
                    .batch = o.batch,
                    .passes = o.passes,
                    .size = o.size,
                    .chain = o.chain,
                    .fuel = o.fuel,
                    .mutant = o.mutant,
                    .engines = o.engines,
                    .tool = SOURIR_VERSION};
  const auto oracles = parse_oracles(o.oracles), without = parse_oracles(o.without);
  if (!oracles) return usage_error("campaign", "--oracles: " + oracles.error().message);
  if (!without) return usage_error("campaign", "--without: " + without.error().message);
  plan.oracles = *oracles;
  for (std::size_t i = 0; i < kOracleNames.size(); ++i)
    if (without->has(static_cast<Oracle>(i))) plan.oracles.set(static_cast<Oracle>(i), false);
  auto config = config_of(plan, o.exec_seconds);
  if (!config) return usage_error("campaign", config.error().message);
  return *std::move(config);
}

Result<CampaignConfig> config_of(const CampaignPlan& plan, std::uint64_t exec_seconds) {
  auto made = campaign_transforms(plan.passes, exec_seconds);
  if (const auto* problem = std::get_if<PipelineError>(&made))
    return failure("--passes: {}", problem->message);
  auto engines = engine_rows(plan.engines);
  if (!engines) return failure("--engines: {}", engines.error().message);
  auto& passes = std::get<PassTransforms>(made);
  CampaignPlan full = plan;
  if (full.under_test.empty()) full.under_test = under_test(passes);
  CampaignConfig config =
      campaign_config(full, std::move(passes.transforms), std::move(passes.under_test));
  config.fuzz.engines = *std::move(engines);
  config.fuzz = caught(std::move(config.fuzz));
  return config;
}

Result<Shard> shard_of(const std::string& text) {
  if (!text.empty()) return parse_shard(text);
  const auto task = shard_of_slurm_task();
  if (!task) return failure("{}; give --shard K/N", task.error().message);
  return *task;
}

int with_database(const std::function<int()>& work) {
  try {
    return work();
  } catch (const DatabaseError& error) {
    say_error(error.what());
    return error.unwritable ? exit_status::kUnwritable : exit_status::kUnreadable;
  } catch (const NoProcess& error) {
    say_error(fmt::format("{}; --jobs says how many there are at a time", error.what()));
    return exit_status::kLimit;
  } catch (const WrongDatabase& error) {
    say_error(error.what());
    return exit_status::kUnreadable;
  }
}

} // namespace sourir
