// The flags and the help of `sourir campaign` and its subcommands.
#include "sourir/cli/commands.h"

#include "sourir/bisim/oracle.h"
#include "sourir/cli/campaign/campaign.h"
#include "sourir/cli/campaign/campaign_engines.h"
#include "sourir/cli/load_file.h"
#include "sourir/cli/pass_setup.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>

namespace sourir {

namespace {

constexpr const char* kDetails =
    "`sourir campaign` tries random programs; other words after it:\n"
    "  report     what a campaign has exercised and found: text, --json, --html\n"
    "  replay     one case again: by its number, or from a replay file\n"
    "  shrink     the same counterexample with a smaller program\n"
    "  merge      put the results of shards together\n"
    "  slurm      print a batch file that runs the shards on a cluster\n"
    "  mutants    which seeded bugs are found, by whom and how soon (sourir-mutants only)\n"
    "Each has its own help: `sourir campaign report --help`.\n\n"
    "Results are stored batch by batch. Whatever ends a campaign (Ctrl-C, a crash, kill -9): the\n"
    "same command goes on, and the report at the end is the same. It depends on the seed and the\n"
    "other flags about cases only, not on --jobs, --shard and --time.\n\n"
    "Exit status: 0 no counterexample, 1 counterexamples, 2 the campaign is not complete or some\n"
    "pass never changed anything, 64 usage, 66 a database cannot be used, 74 cannot be written,\n"
    "130 Ctrl-C.\n\n"
    "Examples:\n"
    "  sourir campaign --programs 1000                            a first look; nothing is kept\n"
    "  sourir campaign --programs 1000000 --db c.db --jobs 8\n"
    "  sourir campaign --passes 'licm,move-assumes' --db moves.db\n"
    "  sourir campaign --passes 'exec:python3 pass.py' --programs 500\n"
    "  sourir campaign --passes plugin:./pass.so --programs 500\n"
    "  sourir campaign --programs 1000000 --db c.db --shard 3/10\n";

void add_case_flags(std::vector<Flag>& flags, CampaignOptions& o) {
  flags.push_back(number_flag("--programs", o.programs, "random programs (default 10000)", 1));
  flags.push_back(number_flag("--seed", o.seed, "of all that is random (default 1)"));
  flags.push_back(with_pass_names(
      text_flag("--passes", "PIPELINE", o.passes,
                "what is looked at, as for `sourir opt --pass`: each step by itself "
                "(default all); any pass may come before it")));
  const std::string oracles = fmt::format("{}", fmt::join(kOracleNames, ", "));
  flags.push_back(
      text_flag("--oracles", "LIST", o.oracles, "who is asked (default all): " + oracles));
  flags.push_back(text_flag("--without", "LIST", o.without, "who is not asked"));
  flags.push_back(text_flag("--engines", "LIST", o.engines,
                            fmt::format("what runs the programs besides the reference: {} "
                                        "(default none)",
                                        fmt::join(engine_names(), ", "))));
  flags.push_back(
      number_flag("--size", o.size, "instructions of a program, about (default 60)", 1));
  flags.push_back(number_flag("--chain", o.chain, "passes in a row, at most (default 8)", 1));
  flags.push_back(number_flag("--fuel", o.fuel, "steps of a run (default 20000)", 1));
  flags.push_back(number_flag("--batch", o.batch,
                              "programs whose results are stored at once (default 250)", 1));
  flags.push_back(number_flag("--case-timeout", o.case_seconds,
                              "seconds after which a case counts as one that hangs (default 60)",
                              1));
  flags.push_back(number_flag("--exec-timeout", o.exec_seconds,
                              "seconds that each exec:CMD may take (default 60)", 1));
  flags.push_back(number_flag("--mutant", o.mutant, "with a seeded bug (sourir-mutants only)"));
}

Command campaign() {
  const auto o = std::make_shared<CampaignOptions>();
  Command c{
      .name = "campaign", .summary = "Try passes on many random programs.", .details = kDetails};
  c.operands = {.name = "WORD",
                .least = 0,
                .most = 1,
                .choices = {"report", "replay", "shrink", "merge", "slurm", "mutants"}};
  add_case_flags(c.flags, *o);
  c.flags.push_back(number_flag("--jobs", o->jobs, "processes (default: one for each core)"));
  c.flags.push_back(
      text_flag("--db", "FILE", o->db, "the database; where it is there the campaign goes on"));
  c.flags.push_back(text_flag("--failures", "FOLDER", o->failures,
                              "where replay files of counterexamples go (default: the name of "
                              "the database and .failures)"));
  c.flags.push_back(number_flag("--time", o->seconds, "seconds after which it stops", 1));
  c.flags.push_back(text_flag("--shard", "K/N", o->shard,
                              "one of N parts, into the database FILE.K-of-N (default: what a "
                              "job array of Slurm says, else all)"));
  c.flags.push_back(switch_flag("--json", o->json, "the report as JSON"));
  const std::vector<std::string> words = c.operands.choices;
  c.run = [o, words](const std::vector<std::string>& operands) {
    if (operands.empty()) return run_campaign(*o);
    return usage_error("campaign",
                       std::ranges::count(words, operands[0]) > 0
                           ? fmt::format("'{}' stands right after `sourir campaign`", operands[0])
                           : fmt::format("there is no `campaign {}`", operands[0]));
  };
  return c;
}

Command report() {
  const auto o = std::make_shared<CampaignReportOptions>();
  Command c{.name = "campaign report",
            .summary = "Show what a campaign has exercised and found.",
            .details = "Exit status as for `sourir campaign`.\n\n"
                       "Examples:\n"
                       "  sourir campaign report --db c.db\n"
                       "  sourir campaign report --db c.db --html report.html\n"};
  c.operands = {.least = 0, .most = 0};
  c.flags = {text_flag("--db", "FILE", o->db, "the database"),
             switch_flag("--json", o->json, "as JSON"),
             text_flag("--html", "OUT", o->html, "as a page with charts that needs nothing else")};
  c.run = [o](const std::vector<std::string>&) { return run_campaign_report(*o); };
  return c;
}

Command case_command(std::string name, std::string summary, std::string details,
                     int (*run)(const CampaignReplayOptions&)) {
  const auto o = std::make_shared<CampaignReplayOptions>();
  Command c{.name = std::move(name), .summary = std::move(summary), .details = std::move(details)};
  c.operands = {.name = "CASE"};
  c.flags = {text_flag("--db", "FILE", o->db, "the database of the campaign, for a number"),
             text_flag("-o,--output", "FILE", o->output, "where a replay file goes, too"),
             number_flag("--time", o->seconds, "seconds that it may take (default 60)", 1),
             switch_flag("--json", o->json, "the case and what came of it as JSON")};
  if (c.name == "campaign shrink")
    c.flags.push_back(
        number_flag("--tries", o->tries, "smaller cases to try, at most (default 5000)", 1));
  c.run = [o, run](const std::vector<std::string>& operands) {
    return o->which = operands[0], run(*o);
  };
  return c;
}

Command merge() {
  const auto o = std::make_shared<CampaignMergeOptions>();
  Command c{.name = "campaign merge",
            .summary = "Put the results of shards together: the union of their batches.",
            .details =
                "OUT is there as a whole or, if the merge is interrupted, as it was before.\n"
                "Exit status: 0 fine, 2 some batches are in none of the files, 66 a file\n"
                "cannot be used.\n\n"
                "Examples:\n"
                "  sourir campaign merge c.db c.db.*-of-10\n"};
  c.operands = {.name = "OUT IN", .least = 2, .most = kAnyNumber};
  c.run = [o](const std::vector<std::string>& operands) {
    o->out = operands[0];
    o->in.assign(operands.begin() + 1, operands.end());
    return run_campaign_merge(*o);
  };
  return c;
}

Command slurm() {
  const auto o = std::make_shared<CampaignSlurmOptions>();
  Command c{.name = "campaign slurm",
            .summary = "Print a batch file that runs a campaign as an array of jobs.",
            .details = "The batch file hands itself in: `bash campaign.sh` on a host that has\n"
                       "sbatch. The database and this program must be seen by all hosts under\n"
                       "the same names.\n\n"
                       "Examples:\n"
                       "  sourir campaign slurm --programs 1000000 --shards 50 --db c.db >c.sh\n"
                       "  bash c.sh\n"};
  c.operands = {.least = 0, .most = 0};
  add_case_flags(c.flags, o->campaign);
  c.flags.push_back(number_flag("--shards", o->shards, "jobs of the array (default 10)", 1));
  c.flags.push_back(number_flag("--jobs", o->campaign.jobs, "processes and cores of a job", 1));
  c.flags.push_back(text_flag("--db", "FILE", o->campaign.db, "where the results go"));
  c.flags.push_back(text_flag("--partition", "NAME", o->partition, "where the jobs run"));
  c.run = [o](const std::vector<std::string>&) { return run_campaign_slurm(*o); };
  return c;
}

Command mutants() {
  const auto o = std::make_shared<MutantsOptions>();
  o->campaign.passes = {};
  o->campaign.programs = 1'000'000;
  o->campaign.seconds = 60;
  o->campaign.case_seconds = 10;
  Command c{.name = "campaign mutants",
            .summary = "Look for seeded bugs: which are found, by whom, how soon, how small.",
            .details =
                "For builds that have them (`./dev build dev sourir-mutants`). Each bug is\n"
                "looked for on one core, by cases that say nothing without it. N: numbers of\n"
                "bugs (default: all).\n"
                "Exit status: 0 all are found, 1 some are not.\n\n"
                "Examples:\n"
                "  sourir-mutants campaign mutants\n"
                "  sourir-mutants campaign mutants 3 17 --without structure\n"};
  c.operands = {.name = "N", .least = 0, .most = kAnyNumber};
  add_case_flags(c.flags, o->campaign);
  const auto flag = [&](const char* name) -> Flag& {
    return *std::ranges::find(c.flags, std::string(name), &Flag::names);
  };
  flag("--passes").help = "what is looked at (default: the pass that has the bug)";
  flag("--programs").help = "to try for each, at most (default 1000000)";
  flag("--case-timeout").help = "seconds after which a case counts as one that hangs (default 10)";
  std::erase_if(c.flags, [](const Flag& f) {
    return f.names == "--mutant" || f.names == "--batch" || f.names == "--exec-timeout";
  });
  c.flags.push_back(
      number_flag("--time", o->campaign.seconds, "seconds for each, at most (default 60)", 1));
  c.flags.push_back(
      number_flag("--jobs", o->campaign.jobs, "bugs at a time (default: one a core)"));
  c.flags.push_back(switch_flag("--json", o->json, "as JSON, with the shrunk programs"));
  c.run = [o](const std::vector<std::string>& operands) {
    return o->numbers = operands, run_campaign_mutants(*o);
  };
  return c;
}

} // namespace

std::vector<Command> campaign_commands() {
  return {campaign(),
          report(),
          case_command("campaign replay", "Try one case of a campaign again.",
                       "CASE is a number of a campaign in --db, or a replay file.\n"
                       "Exit status: 0 it passes, 1 a counterexample, 2 it cannot be told, 66 no\n"
                       "such case.\n\n"
                       "Examples:\n"
                       "  sourir campaign replay 1234 --db c.db\n"
                       "  sourir campaign replay c.db.failures/1234.json\n",
                       run_campaign_replay),
          case_command("campaign shrink",
                       "Make a counterexample of a campaign as small as it gets.",
                       "CASE is a number of a campaign in --db (which remembers the result), or\n"
                       "a replay file. Program, input, passes and forced exits become smaller\n"
                       "together, and the counterexample stays of its kind. At the end of --time,\n"
                       "and on Ctrl-C, the smallest so far is the result.\n\n"
                       "Examples:\n"
                       "  sourir campaign shrink 1234 --db c.db -o small.json\n",
                       run_campaign_shrink),
          merge(),
          slurm(),
          mutants()};
}

} // namespace sourir
