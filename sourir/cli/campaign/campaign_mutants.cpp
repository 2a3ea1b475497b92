#include "sourir/cli/campaign/campaign_mutants.h"

#include "sourir/analysis/mutant.h"
#include "sourir/cli/campaign/campaign_setup.h"
#include "sourir/cli/load_file.h"
#include "sourir/fuzz/campaign_report.h"
#include "sourir/fuzz/host/mutation_test_run.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>

#include <algorithm>
#include <map>
#include <memory>
#include <new>
#include <ranges>
#include <thread>

namespace sourir {

namespace {

constexpr int kFirstOfEngines = 100; // the numbers above are of seeded bugs of engines

// Where a bug of an engine shows most.
std::string engines_with(const MutantRow& row) {
  if (row.pass == "frames") return "baseline";
  return row.number == 104 || row.number == 105 ? "native-O2,auto-O2"
                                                : "native,auto"; // LLVM is misled
}

struct Hunted {
  MutantRow row;
  HuntResult result;
  bool done = false;
};

// Those that were asked for; or what is wrong.
std::variant<std::vector<Hunted>, std::string> chosen(const MutantsOptions& o) {
  std::vector<Hunted> all;
  for (const std::string& text : o.numbers) {
    std::uint64_t n = 0;
    if (const std::string problem = parse_number(text, n); !problem.empty()) return problem;
    const auto found = std::ranges::find_if(all_mutants(), [&](const MutantRow& row) {
      return static_cast<std::uint64_t>(row.number) == n;
    });
    if (found == all_mutants().end()) return fmt::format("there is no seeded bug {}", n);
    all.push_back({*found, {}});
  }
  const auto shows = [](const MutantRow& row) { return row.pass != "sampling"; }; // in what it does
  if (o.numbers.empty())
    for (const MutantRow& row : all_mutants() | std::views::filter(shows)) all.push_back({row, {}});
  return all;
}

class Hunters {
public:
  Hunters(const MutantsOptions& options, std::vector<Hunted>& all)
      : options_(options), all_(all), jobs_(job_count(options)) {
    void* const memory = mmap(nullptr, jobs_.size() * sizeof(HuntNote), PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::bad_alloc();
    for (std::size_t i = 0; i < jobs_.size(); ++i)
      jobs_[i].note = new (static_cast<HuntNote*>(memory) + i) HuntNote;
  }

  // An exit status: something is wrong; or kFine.
  int run() {
    for (;;) {
      if (interrupted()) return exit_status::kFine;
      for (Job& job : jobs_)
        if (!job.hunt && next_ < all_.size())
          if (const int status = start(job); status != exit_status::kFine) return status;
      if (std::ranges::none_of(jobs_, [](const Job& job) { return bool(job.hunt); }))
        return exit_status::kFine;
      wait();
      for (Job& job : jobs_)
        if (job.hunt && !job.hunt->poll()) finish(job);
    }
  }

private:
  struct Job {
    HuntNote* note = nullptr;
    Hunted* mutant = nullptr;
    std::unique_ptr<Hunt> hunt = {};
  };

  static std::size_t job_count(const MutantsOptions& o) {
    if (o.campaign.jobs > 0) return std::min<std::size_t>(o.campaign.jobs, 256);
    return std::max(std::thread::hardware_concurrency(), 1U);
  }

  int start(Job& job) {
    job.mutant = &all_[next_++];
    CampaignOptions o = options_.campaign;
    o.mutant = static_cast<std::uint64_t>(job.mutant->row.number);
    const bool of_engines = job.mutant->row.number > kFirstOfEngines;
    if (of_engines && o.engines.empty()) o.engines = engines_with(job.mutant->row);
    if (of_engines && o.oracles == "all") o.oracles = "engines";
    if (of_engines && o.passes.empty()) {
      o.passes = "fresh-version"; // anything, but fast
      o.chain = 1;
      o.size /= 4;
    }
    if (o.passes.empty()) o.passes = job.mutant->row.pass;
    auto campaign = campaign_of(o);
    if (const int* const status = std::get_if<int>(&campaign)) return *status;
    const HuntLimits limits{
        .programs = o.programs, .seconds = o.seconds, .case_seconds = o.case_seconds};
    job.hunt =
        std::make_unique<Hunt>(std::get<CampaignTrials>(std::move(campaign)), limits, *job.note);
    return exit_status::kFine;
  }

  void finish(Job& job) {
    job.mutant->result = job.hunt->result();
    job.mutant->done = true;
    job.hunt.reset();
    const HuntResult& r = job.mutant->result;
    say(fmt::format("{} {}\n", job.mutant->row.number,
                    r.caught ? fmt::format("caught by {} after {} programs", r.oracle, r.programs)
                             : fmt::format("NOT caught in {} programs", r.programs)));
  }

  void wait() const {
    constexpr int kMilliseconds = 100;
    std::vector<pollfd> files;
    for (const Job& job : jobs_)
      if (job.hunt) files.push_back({job.hunt->fd(), POLLIN, 0});
    ::poll(files.data(), files.size(), kMilliseconds);
  }

  const MutantsOptions& options_;
  std::vector<Hunted>& all_;
  std::vector<Job> jobs_;
  std::size_t next_ = 0;
};

std::string table(const std::vector<Hunted>& all) {
  std::string out = fmt::format("{:>3}  {:<7} {:<13} {:>9} {:>8} {:>6}  {}\n", "", "caught", "by",
                                "programs", "seconds", "shrunk", "seeded bug");
  std::size_t caught = 0, small = 0, done = 0;
  std::map<std::string, std::size_t> by;
  for (const Hunted& one : all) {
    if (!one.done) continue;
    const HuntResult& r = one.result;
    ++done;
    caught += r.caught ? 1 : 0;
    small += r.caught && r.instructions > 0 && r.instructions <= 15 ? 1 : 0;
    if (r.caught) ++by[r.oracle];
    out += fmt::format("{:>3}  {:<7} {:<13} {:>9} {:>8.1f} {:>6}  {}: {}\n", one.row.number,
                       r.caught ? "yes" : "NO", r.caught ? r.oracle : "-", r.programs, r.seconds,
                       r.instructions > 0 ? std::to_string(r.instructions) : "-", one.row.pass,
                       one.row.idea);
    if (r.not_its_fault > 0)
      out += fmt::format("     ({} that are there without it)\n",
                         counted(r.not_its_fault, "counterexample"));
  }
  out += fmt::format("\n{} of {} caught; {} of them shrunk to 15 instructions or fewer\n", caught,
                     done, small);
  for (const auto& [oracle, n] : by) out += fmt::format("  {:<13} {}\n", oracle, n);
  return out;
}

Json mutants_json(const std::vector<Hunted>& all, const CampaignOptions& o) {
  Json rows = Json::array();
  for (const Hunted& one : all) {
    if (!one.done) continue;
    const HuntResult& r = one.result;
    Json row{{"number", one.row.number}, {"pass", one.row.pass},   {"idea", one.row.idea},
             {"caught", r.caught},       {"programs", r.programs}, {"seconds", r.seconds},
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
  if (!has_mutants()) {
    say_error("this build has no seeded bugs: they are in sourir-mutants, which is made from the "
              "same sources");
    say("`./dev build dev sourir-mutants`, then `build/bin/sourir-mutants campaign mutants`\n");
    return exit_status::kUsage;
  }
  auto all = chosen(options);
  if (const auto* problem = std::get_if<std::string>(&all))
    return usage_error("campaign mutants", *problem);
  auto& hunted = std::get<std::vector<Hunted>>(all);
  watch_interrupts();
  if (const int status = with_database([&] { return Hunters(options, hunted).run(); });
      status != exit_status::kFine)
    return status;
  standard_output().write(options.json ? json_text(mutants_json(hunted, options.campaign))
                                       : table(hunted));
  if (interrupted()) return exit_status::kInterrupted;
  const bool complete =
      std::ranges::all_of(hunted, [](const Hunted& one) { return one.result.caught; });
  return complete ? exit_status::kFine : exit_status::kFound;
}

} // namespace sourir
