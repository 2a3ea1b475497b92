#include "sourir/cli/commands.h"

#include "sourir/cli/analyze.h"
#include "sourir/cli/bench/bench.h"
#include "sourir/cli/bisim.h"
#include "sourir/cli/campaign/campaign_commands.h"
#include "sourir/cli/check.h"
#include "sourir/cli/completion.h"
#include "sourir/cli/convert.h"
#include "sourir/cli/explain.h"
#include "sourir/cli/fmt.h"
#include "sourir/cli/jit.h"
#include "sourir/cli/load_file.h"
#include "sourir/cli/opt.h"
#include "sourir/cli/profile.h"
#include "sourir/cli/reduce.h"
#include "sourir/cli/run.h"
#include "sourir/cli/step.h"

#include <memory>
#include <set>

namespace sourir {

namespace {

using OperandWords = std::vector<std::string>;

// The flags that say how much a run may use.
void add_limit_flags(std::vector<Flag>& flags, Limits& limits) {
  flags.push_back(number_flag("--fuel", limits.fuel,
                              "steps it may do; other engines than the reference count calls "
                              "and ends of loops (default: no limit)"));
  flags.push_back(bytes_flag("--max-heap", limits.heap,
                             "bytes of arrays: 24 for each and 16 for an element (default 4G)"));
  flags.push_back(number_flag("--max-depth", limits.depth,
                              "calls that may wait for their result (default 2000000)"));
  flags.push_back(number_flag("--max-array", limits.array,
                              "elements that one array may have (default 100000000)"));
}

constexpr const char* kRunDetails =
    "Exit status: the program's result (an integer modulo 256, true as 1, anything else 0);\n"
    "64 usage, 65 the program is rejected, 66 a file cannot be read, 67 stuck, 68 a limit is\n"
    "reached, 70 a bug of sourir, 74 the output cannot be written, 130 Ctrl-C. With\n"
    "--jit-schedule: 0 the reference does the same, 1 it does not, 65 the log is no such log.\n\n"
    "Examples:\n"
    "  sourir run program.sou\n"
    "  sourir run program.sou --engine=auto --tiers=schedule --tiers-file log\n"
    "  sourir run program.sou --engine=reference --jit-schedule log\n"
    "  printf '3\\n\"abc\"\\nnil\\n' | sourir run program.sou     one literal a line\n"
    "  sourir run program.sou --trace --leave=always          leave at every assume and anchor\n"
    "  sourir run program.sou --leave=at:3,f.fast.loop        at the third chance, and there\n"
    "  sourir run program.sou --fuel 1000000 --stats --report outcome.json\n"
    "  sourir run program.sou --pass=O2 --stats               optimize it first\n";

Command run_command() {
  const auto o = std::make_shared<RunOptions>();
  Command c{.name = "run", .summary = "Run a program.", .details = kRunDetails};
  c.flags = {
      choice_flag(
          "--engine", Flag::Takes::Value, {"auto", "reference", "baseline", "native"}, o->engine,
          "what runs it: auto, a bytecode interpreter, and native code for what is hot (the "
          "default); reference, the semantics step by step (the default where a flag needs "
          "them); baseline, the interpreter alone; native, code for all that fits"),
      text_flag("--input", "FILE", o->input,
                "what the program reads, one literal a line (default: standard input; nothing if "
                "the program itself comes from there)"),
      text_flag("--leave", "SCHEDULE", o->leave,
                "when to take exits that need not be taken: never, always, every:K, p:P:SEED, "
                "calls, at:LIST with LIST numbers of chances or places F.V.L; or which version "
                "calls enter: enter:any:SEED, enter:F.V, enter:K:V at call K"),
      choice_flag("--trace", Flag::Takes::Optional, {"text", "json"}, o->trace,
                  "every step with its rule, on standard error"),
      text_flag("--trace-file", "FILE", o->trace_file, "the trace goes there"),
      choice_flag(
          "--tiers", Flag::Takes::Optional, {"text", "versions", "json", "schedule"}, o->tier_log,
          "what becomes native code, and when that is left or given up, on standard error; "
          "versions: with the versions that were made; schedule: what --jit-schedule takes"),
      text_flag("--tiers-file", "FILE", o->tier_file, "what --tiers says goes there"),
      text_flag("--jit-schedule", "FILE", o->jit_schedule,
                "reference: do what the tiers did by this log of theirs (--tiers=schedule), and "
                "compare states, output and end"),
      switch_flag("--verify", o->tiers.verify,
                  "auto: run each version that is made beside the program, from the state that "
                  "asked for it on, with forced exits; what differs is not used, exit status 70"),
      switch_flag("--perf-map", o->perf_map,
                  "write /tmp/perf-PID.map, from which perf(1) has names for native code"),
      choice_flag("--stats", Flag::Takes::Optional, {"text", "json"}, o->stats,
                  "counts of steps, rules, calls, deoptimizations, on standard error"),
      text_flag("--report", "FILE", o->report, "outcome and statistics as JSON"),
      switch_flag("--json", o->json, "the outcome as JSON, as the last line of the output"),
      choice_flag("--result", Flag::Takes::Value, {"json"}, o->result, "the same as --json"),
  };
  add_pass_flags(c.flags, o->passes);
  add_limit_flags(c.flags, o->limits);
  add_tier_flags(c.flags, o->tiers);
  add_profile_flags(c.flags, o->tiers.profile);
  c.flags.push_back(
      bytes_flag("--max-output", o->limits.output, "bytes that it may print (default 1G)"));
  c.run = [o](const OperandWords& files) { return o->file = files[0], run_run(*o); };
  return c;
}

Command check_command() {
  const auto o = std::make_shared<CheckOptions>();
  Command c{.name = "check",
            .summary = "Say everything that is wrong with programs.",
            .details = "Exit status: 0 no errors, 1 errors, 66 a file cannot be read.\n\n"
                       "Examples:\n"
                       "  sourir check program.sou other.sou\n"
                       "  sourir check --normal-form program.sou     is it ready for passes?\n"
                       "  sourir check --json program.sou            for editors and scripts\n"};
  c.operands.most = kAnyNumber;
  c.flags = {
      switch_flag("--normal-form", o->normal_form, "also say where a program is not normal"),
      switch_flag("--strict", o->strict, "an exit that computes what could fail is an error"),
      number_flag("--max-errors", o->max_errors,
                  "problems to show of a file; 0 for all (default 20)"),
      switch_flag("--json", o->json, "all problems as JSON on standard output"),
  };
  c.run = [o](const OperandWords& files) { return o->files = files, run_check(*o); };
  return c;
}

Command step_command() {
  const auto o = std::make_shared<StepOptions>();
  Command c{.name = "step",
            .summary = "Go through a program, forward and back over every rule.",
            .details = "Examples:\n"
                       "  sourir step program.sou                     `help` lists the commands\n"
                       "  echo 'step 3; env' > s && sourir step program.sou --script s\n"};
  c.flags = {
      text_flag("--input", "FILE", o->input, "what the program reads, one literal a line"),
      text_flag("--leave", "SCHEDULE", o->leave,
                "when to take exits that need not be taken, as for `sourir run`"),
      text_flag("--script", "FILE", o->script, "commands to do instead of asking for them"),
      switch_flag("--keep-going", o->keep_going, "a command that fails does not end a script"),
      switch_flag("--paper", o->paper, "show instructions in the paper's notation"),
      switch_flag("--no-screen", o->no_screen, "line by line also on a terminal"),
      switch_flag("--json", o->json, "what each command shows as one JSON object on its line"),
  };
  add_limit_flags(c.flags, o->limits);
  c.run = [o](const OperandWords& files) { return o->file = files[0], run_step(*o); };
  return c;
}

Command fmt_command() {
  const auto o = std::make_shared<FmtOptions>();
  Command c{.name = "fmt",
            .summary = "Print programs in the canonical layout.",
            .details =
                "Comments stay. The text is read back and compared before a file changes.\n"
                "Exit status: 0 fine, 1 with --check if a file is not formatted, 65 a syntax\n"
                "error, 66 a file cannot be read.\n\n"
                "Examples:\n"
                "  sourir fmt program.sou\n"
                "  sourir fmt -i *.sou\n"
                "  sourir fmt --check --diff *.sou\n"};
  c.operands.most = kAnyNumber;
  c.flags = {
      switch_flag("-i,--in-place", o->in_place, "rewrite the files"),
      switch_flag("--check", o->check, "only say which files are not formatted"),
      switch_flag("--diff", o->diff, "show what would change"),
      switch_flag("--paper", o->paper, "the paper's notation: fewer brackets, no $ in branch"),
      switch_flag("--json", o->json, "what --check and -i say, as JSON on standard output"),
  };
  c.run = [o](const OperandWords& files) { return o->files = files, run_fmt(*o); };
  return c;
}

Command convert_command() {
  const auto o = std::make_shared<ConvertOptions>();
  Command c{.name = "convert",
            .summary = "Turn a program into another form.",
            .details = "Every command reads .sou and .sou.json alike.\n\n"
                       "Examples:\n"
                       "  sourir convert program.sou --to=json\n"
                       "  sourir convert program.sou -o program.sou.json\n"
                       "  sourir convert program.sou --to=latex --standalone -o program.tex\n"
                       "  sourir convert program.sou --to=dot --graph=versions | dot -Tsvg\n"};
  c.flags = {
      choice_flag("--to", Flag::Takes::Value, {"sou", "json", "latex", "dot"}, o->to,
                  "the form (default: what the name of the output says)"),
      choice_flag("--graph", Flag::Takes::Value, {"cfg", "versions"}, o->graph,
                  "dot: basic blocks (the default), or versions and their exits"),
      text_flag("-o,--output", "FILE", o->output, "where it goes (default: standard output)"),
      switch_flag("--paper", o->paper, "sou: in the paper's notation"),
      switch_flag("--standalone", o->standalone, "latex: a document that compiles by itself"),
  };
  c.run = [o](const OperandWords& files) { return o->file = files[0], run_convert(*o); };
  return c;
}

constexpr const char* kOptDetails =
    "Exit status: 0 fine, 1 --verify-each found a difference (no program is written then), 2 it\n"
    "could not tell, 64 usage, 65 the program, the feedback or the answer of exec:CMD is\n"
    "rejected, 66 a file cannot be read, 70 a bug of sourir, 74 the output cannot be written,\n"
    "130 Ctrl-C (what is there by then is written).\n\n"
    "Examples:\n"
    "  sourir opt program.sou --pass=O1\n"
    "  sourir opt program.sou --pass='constprop,fix:8(copyprop,dce)' --print-changed\n"
    "  sourir opt program.sou --pass=O2 --assume 'f.v.Loop: x != nil' --stats\n"
    "  sourir opt program.sou --pass='exec:python3 pass.py' --verify-each\n";

Command opt_command() {
  const auto o = std::make_shared<OptOptions>();
  Command c{.name = "opt", .summary = "Optimize a program.", .details = kOptDetails};
  c.operands.least = 0;
  add_pass_flags(c.flags, o->setup);
  c.flags.insert(
      c.flags.end(),
      {
          switch_flag("--list-passes", o->list_passes, "all passes with their options"),
          text_flag("-o,--output", "FILE", o->output,
                    "where the program goes (default: standard output); *.json: as JSON"),
          text_flag("--state-map", "FILE", o->state_map,
                    "how states of the result map to states of the input, as JSON"),
          switch_flag("--print-after-all", o->print_after_all,
                      "the program after each pass, on standard error"),
          switch_flag("--print-changed", o->print_changed,
                      "what each pass changed, on standard error"),
          switch_flag("--verify-each", o->verify_each,
                      "run the program beside the one before after each change, compare events "
                      "and states, force exits"),
          text_flag("--input", "FILE", o->input,
                    "what it reads then, one literal a line (default: something generated)"),
          number_flag("--fuel", o->fuel, "steps that it may do then (default 100000)", 1),
          switch_flag("--check-each", o->check_each,
                      "look after each pass whether the program is well-formed, also if it has "
                      "10,000 instructions or more"),
          number_flag("--opt-bisect-limit", o->bisect_limit,
                      "keep the first N changes only; says on standard error which they are"),
          switch_flag("--remarks", o->remarks, "what the passes say, on standard error"),
          choice_flag("--stats", Flag::Takes::Optional, {"text", "json"}, o->stats,
                      "runs and rewrites of each pass, on standard error"),
          switch_flag("--time-passes", o->time_passes, "what each pass took, on standard error"),
          switch_flag("--json", o->json, "program and statistics as JSON on standard output"),
      });
  c.run = [o](const OperandWords& files) {
    if (!files.empty()) o->file = files[0];
    return run_opt(*o);
  };
  return c;
}

constexpr const char* kBisimDetails =
    "Exit status: 0 equivalent on what was tried, 1 different, 2 inconclusive (a limit), 64 "
    "usage,\n"
    "65 a program or the map is rejected, 66 a file cannot be read, 70 the check has failed, 130\n"
    "Ctrl-C.\n\n"
    "Examples:\n"
    "  sourir bisim a.sou b.sou                          by what can be observed\n"
    "  sourir bisim a.sou b.sou --map=b.map.json         and by states (`sourir opt --state-map`)\n"
    "  sourir bisim program.sou --versions=f             does it matter which version is active?\n"
    "  sourir bisim program.sou --transparency           may it leave wherever the guards hold?\n"
    "  sourir bisim a.sou b.sou --leave=pairs --input=values\n";

Command bisim_command() {
  const auto o = std::make_shared<BisimOptions>();
  Command c{.name = "bisim",
            .summary = "Compare programs, versions of a function, or ways to go on at exits.",
            .details = kBisimDetails};
  c.operands.most = 2;
  Flag versions{.names = "--versions",
                .takes = Flag::Takes::Optional,
                .value = "F",
                .help = "enter the versions of each function (of F) with the same arguments, heap "
                        "and continuation"};
  versions.set = [o](const std::string& function) {
    o->versions = true;
    o->versions_of = function;
    return std::string();
  };
  c.flags = {
      std::move(versions),
      switch_flag("--transparency", o->transparency,
                  "leave at every assume whose guards hold and every anchor, one a run"),
      text_flag("--map", "FILE", o->map, "how states of B map to states of A, as JSON"),
      text_flag("--input", "FILE", o->input,
                "what they read, one literal a line; - is standard input (default: something "
                "generated)"),
      text_flag(
          "--leave", "SCHEDULE", o->leave,
          "when B takes exits that it need not take: never, always, each, pairs, every:K, "
          "p:P:SEED, calls, at:LIST; map:each, map:at:LIST and such: go on in A where the map "
          "says how, in front of step K of LIST; or which version calls enter: "
          "enter:any:SEED, enter:F.V, enter:K:V (default: each, always, some at random)"),
      number_flag("--fuel", o->fuel, "steps of a run (default 1000000)", 1),
      number_flag("--seed", o->seed, "of what is drawn at random (default 1)"),
      switch_flag("--json", o->json, "the answer as JSON"),
  };
  c.run = [o](const OperandWords& files) { return o->files = files, run_bisim(*o); };
  return c;
}

constexpr const char* kReduceDetails =
    "CMD is run by the shell with the path of a candidate for {}, or behind it; what it prints is\n"
    "thrown away. A candidate is kept when it exits with 0. The result does not depend on --jobs.\n"
    "Exit status: 0 reduced, 1 CMD does not succeed on FILE itself, 64 usage, 65 the program is\n"
    "rejected, 66 a file cannot be read, 74 the output cannot be written, 130 Ctrl-C (the "
    "smallest\n"
    "program so far is written).\n\n"
    "Examples:\n"
    "  sourir reduce big.sou --check 'sourir run {} | grep -q 42' -o small.sou\n"
    "  sourir reduce big.sou --check './differs.sh {}' --jobs 4\n";

Command reduce_command() {
  const auto o = std::make_shared<ReduceCommand>();
  Command c{.name = "reduce",
            .summary = "Make a program as small as a command still succeeds on it.",
            .details = kReduceDetails};
  c.flags = {
      text_flag("--check", "CMD", o->check, "exits with 0 where a program is of interest"),
      number_flag("--jobs", o->jobs, "candidates to check at once (default 1)", 1),
      number_flag("--timeout", o->seconds, "seconds that a check may take (default 10)", 1),
      text_flag("-o,--output", "FILE", o->output,
                "where the program goes (default: standard output)"),
      switch_flag("--allow-ill-formed", o->ill_formed,
                  "candidates, and the program, need not be well-formed"),
      switch_flag("--json", o->json, "the program and what it took as JSON"),
  };
  c.run = [o](const OperandWords& files) { return o->file = files[0], run_reduce(*o); };
  return c;
}

Command explain_command() {
  const auto o = std::make_shared<ExplainOptions>();
  Command c{.name = "explain",
            .summary = "Say what an error, a limit or a rule is.",
            .details = "Examples:\n"
                       "  sourir explain                       all names\n"
                       "  sourir explain varmap-missing        an error of `check`\n"
                       "  sourir explain division-by-zero      a reason to be stuck\n"
                       "  sourir explain AssumeDeopt           a rule, as the paper states it\n"};
  c.operands = {.name = "NAME", .least = 0, .most = 1};
  std::set<std::string> all;
  for (const Topic& topic : all_topics()) all.emplace(topic.name);
  c.operands.choices.assign(all.begin(), all.end());
  c.flags = {switch_flag("--json", o->json, "the same as JSON")};
  c.run = [o](const OperandWords& names) {
    if (!names.empty()) o->name = names[0];
    return run_explain(*o);
  };
  return c;
}

Command completion_command() {
  Command c{.name = "completion",
            .summary = "Print a completion script for bash or zsh.",
            .details =
                "Examples:\n"
                "  eval \"$(sourir completion bash)\"          in ~/.bashrc\n"
                "  source <(sourir completion zsh)           in ~/.zshrc, behind compinit\n"};
  c.operands = {.name = "SHELL", .choices = {"bash", "zsh"}};
  c.run = [](const OperandWords& names) {
    if (names[0] == "bash" || names[0] == "zsh") return run_completion(names[0], all_commands());
    return usage_error("completion", "there is bash and zsh, not '" + names[0] + "'");
  };
  return c;
}

} // namespace

const std::vector<Command>& all_commands() {
  static const std::vector<Command> commands = [] {
    std::vector<Command> all = {run_command(),     check_command(),   step_command(),
                                fmt_command(),     convert_command(), opt_command(),
                                analyze_command(), bisim_command()};
    for (Command& c : campaign_commands()) all.push_back(std::move(c));
    all.push_back(reduce_command());
    all.push_back(jit_command());
    all.push_back(profile_command());
    all.push_back(bench_command());
    all.push_back(explain_command());
    all.push_back(completion_command());
    return all;
  }();
  return commands;
}

} // namespace sourir
