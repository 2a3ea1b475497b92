// `sourir campaign mutants`: mutation tests, a campaign for each seeded bug.
#include "sourir/cli/campaign/campaign_setup.h"
#include "sourir/cli/load_file.h"
#include "sourir/fuzz/campaign_report.h"
#include "sourir/fuzz/host/mutation_test_run.h"
#include "sourir/fuzz/seeded_bugs.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/passes/registry.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <ranges>
#include <thread>

namespace sourir {

namespace {

constexpr std::string_view kChecker = "checker";
constexpr std::string_view kWatches = "watches"; // rules of the reference, and their oracle
constexpr std::string_view kEvents = "events";   // their counts, engines and oracle
// The numbers above are of seeded bugs of engines, and of passes that came later.
constexpr int kFirstOfEngines = 100;

// The engines that a bug of an engine affects most.
std::string engines_with(const SeededBug& row) {
  if (row.part == "frames") return "baseline";
  if (row.number == 158) return "events-O2"; // loops are unrolled
  if (row.number == 220) return "replayed";  // a version that is not well-formed
  if (row.part == "deoptless" || row.part == "contexts" || row.part == kEvents)
    return std::string(row.part);
  return row.number == 104 || row.number == 105 ? "native-O2,auto-O2"
                                                : "native,auto"; // LLVM is misled
}

// The seeded bugs that are named, or the error; without names all that change what programs do.
Result<std::vector<MutationTest>> chosen(const MutantsOptions& o) {
  std::vector<MutationTest> all;
  for (const std::string& text : o.numbers) {
    std::uint64_t n = 0;
    if (const std::string problem = parse_number(text, n); !problem.empty())
      return failure("{}", problem);
    const auto found = std::ranges::find_if(seeded_bugs(), [&](const SeededBug& row) {
      return static_cast<std::uint64_t>(row.number) == n;
    });
    if (found == seeded_bugs().end()) return failure("there is no seeded bug {}", n);
    if (found->part == kChecker)
      return failure("seeded bug {} is of the checker, which no campaign can find: "
                     "tests/cli/checker_pairs_test.py does",
                     n);
    all.push_back({*found, {}});
  }
  const auto shows = [](const SeededBug& row) { // in what programs do, and a right checker sees it
    return row.part != "sampling" && row.part != kChecker;
  };
  if (o.numbers.empty())
    for (const SeededBug& row : seeded_bugs() | std::views::filter(shows)) all.push_back({row, {}});
  return all;
}

std::size_t job_count(const MutantsOptions& o) {
  if (o.campaign.jobs > 0) return std::min<std::size_t>(o.campaign.jobs, 256);
  return std::max(std::thread::hardware_concurrency(), 1U);
}

// The campaign that a seeded bug is tested with, where flags do not say otherwise.
CampaignOptions options_for(const SeededBug& row, const CampaignOptions& given) {
  CampaignOptions o = given;
  o.mutant = static_cast<std::uint64_t>(row.number);
  const bool of_watches = row.part == kWatches;
  const std::string_view pass = row.part.substr(0, row.part.find(':')); // perhaps with options
  const bool of_engines = row.number > kFirstOfEngines && !of_watches && find_pass(pass) == nullptr;
  if (of_watches && o.oracles == "all") o.oracles = kWatches;
  if (of_engines && o.engines.empty()) o.engines = engines_with(row);
  if (of_engines && o.oracles == "all")
    o.oracles = row.part == kEvents ? "events-counted" : "engines";
  if ((of_engines || of_watches) && o.passes.empty()) {
    o.passes = "fresh-version"; // anything, but fast
    o.chain = 1;
    o.size /= 4;
  }
  if (o.passes.empty()) o.passes = row.part;
  return o;
}

// Returns the exit status.
int run_tests(const MutantsOptions& options, std::vector<MutationTest>& tests) {
  const CampaignOptions& o = options.campaign;
  int status = exit_status::kFine;
  MutationTestOptions run{
      .jobs = job_count(options),
      .limits = {.programs = o.programs, .seconds = o.seconds, .case_seconds = o.case_seconds},
      .campaign = {},
      .done = {}};
  run.campaign = [&](const SeededBug& row) -> Result<CampaignConfig> {
    auto campaign = campaign_of(options_for(row, o));
    if (const int* const problem = std::get_if<int>(&campaign)) {
      status = *problem;
      return failure("the flags do not fit"); // campaign_of() has shown why
    }
    return std::get<CampaignConfig>(std::move(campaign));
  };
  run.done = [](const MutationTest& test) {
    const MutationTestResult& r = test.result;
    say(fmt::format("{} {}\n", test.mutant.number,
                    r.caught ? fmt::format("caught by {} after {} programs", r.oracle, r.programs)
                             : fmt::format("NOT caught in {} programs", r.programs)));
  };
  const auto ran = run_mutation_tests(tests, run);
  return ran ? exit_status::kFine : status;
}

std::string table(const std::vector<MutationTest>& all) {
  std::string out = fmt::format("{:>3}  {:<7} {:<13} {:>9} {:>8} {:>6}  {}\n", "", "caught", "by",
                                "programs", "seconds", "shrunk", "seeded bug");
  std::size_t caught = 0, small = 0, done = 0;
  std::map<std::string, std::size_t> by;
  for (const MutationTest& one : all) {
    if (!one.done) continue;
    const MutationTestResult& r = one.result;
    ++done;
    caught += r.caught ? 1 : 0;
    small += r.caught && r.instructions > 0 && r.instructions <= 15 ? 1 : 0;
    if (r.caught) ++by[r.oracle];
    out += fmt::format("{:>3}  {:<7} {:<13} {:>9} {:>8.1f} {:>6}  {}: {}\n", one.mutant.number,
                       r.caught ? "yes" : "NO", r.caught ? r.oracle : "-", r.programs, r.seconds,
                       r.instructions > 0 ? std::to_string(r.instructions) : "-", one.mutant.part,
                       one.mutant.idea);
    if (r.not_its_fault > 0)
      out += fmt::format("     ({} that are there without it)\n",
                         counted(r.not_its_fault, "counterexample"));
  }
  out += fmt::format("\n{} of {} caught; {} of them shrunk to 15 instructions or fewer\n", caught,
                     done, small);
  for (const auto& [oracle, n] : by) out += fmt::format("  {:<13} {}\n", oracle, n);
  return out;
}

Json mutants_json(const std::vector<MutationTest>& all, const CampaignOptions& o) {
  Json rows = Json::array();
  for (const MutationTest& one : all) {
    if (!one.done) continue;
    const MutationTestResult& r = one.result;
    Json row{{"number", one.mutant.number}, {"pass", one.mutant.part}, {"idea", one.mutant.idea},
             {"caught", r.caught},          {"programs", r.programs},  {"seconds", r.seconds},
             {"others", r.not_its_fault}};
    if (r.caught) {
      row["oracle"] = r.oracle;
      row["kind"] = r.kind;
    }
    if (r.instructions > 0) {
      row["instructions"] = r.instructions;
      row["program"] = r.program;
    }
    rows.push_back(std::move(row));
  }
  return {{"format", "sourir-mutants"}, {"version", 1},         {"seed", o.seed},
          {"oracles", o.oracles},       {"without", o.without}, {"mutants", rows}};
}

} // namespace

int run_campaign_mutants(const MutantsOptions& options) {
  if (seeded_bugs().empty()) {
    say_error("this build has no seeded bugs: they are in sourir-mutants, which is made from the "
              "same sources");
    say("`./dev build dev sourir-mutants`, then `build/bin/sourir-mutants campaign mutants`\n");
    return exit_status::kUsage;
  }
  auto all = chosen(options);
  if (!all) return usage_error("campaign mutants", all.error().message);
  auto& tests = *all;
  watch_interrupts();
  if (const int status = with_database([&] { return run_tests(options, tests); });
      status != exit_status::kFine)
    return status;
  standard_output().write(options.json ? json_text(mutants_json(tests, options.campaign))
                                       : table(tests));
  if (interrupted()) return exit_status::kInterrupted;
  const bool complete =
      std::ranges::all_of(tests, [](const MutationTest& one) { return one.result.caught; });
  return complete ? exit_status::kFine : exit_status::kFound;
}

} // namespace sourir
