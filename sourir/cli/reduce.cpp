// `sourir reduce`: the reduction of a program on which a command succeeds.
#include "sourir/cli/commands.h"

#include "sourir/bisim/reduce/reduce_program.h"
#include "sourir/cli/load_file.h"
#include "sourir/fuzz/host/candidate_check.h"
#include "sourir/os/exit_status.h"
#include "sourir/os/files.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <memory>

namespace sourir {

namespace {

struct ReduceCommand {
  std::string file;           // text or JSON; "-": standard input
  std::string check;          // a command of the shell; {} is the candidate's path
  std::string output = "-";   // replaced at once; "-": standard output
  std::uint64_t jobs = 1;     // candidates that are checked at once
  std::uint64_t seconds = 10; // limit of a check
  bool ill_formed = false;    // candidates need not be well-formed
  bool json = false;
};

class Reduction {
public:
  Reduction(const ReduceCommand& options, const Program& program, const Names& names)
      : options_(options), names_(names), check_(options.check, options.seconds, options.jobs),
        best_(program), before_(instructions_of(program)) {}

  int run() {
    if (const std::string problem = check_.prepare(); !problem.empty()) {
      say_error(problem);
      return exit_status::kUnwritable;
    }
    watch_interrupts();
    if (!check_.first_that_holds({print(best_, names_)})) return refused();
    ReduceOptions how;
    how.ill_formed = options_.ill_formed;
    how.together = options_.jobs;
    how.stop = &stop_requested();
    how.better = [&](const Program& best, std::uint64_t) { progress(best); };
    best_ = reduce_program(
        best_, names_,
        [&](const std::vector<Program>& candidates) {
          std::vector<std::string> texts;
          for (const Program& one : candidates) texts.push_back(print(one, names_));
          return check_.first_that_holds(texts);
        },
        how);
    end_progress();
    return write();
  }

private:
  int refused() const {
    if (interrupted()) return exit_status::kInterrupted;
    say_error(fmt::format("--check: the command does not succeed on '{}' itself: {}",
                          display_name(options_.file), check_.problem()));
    say("it gets the path of a program, for {} or as its last word, and exits with 0 where the "
        "program is of interest\n");
    return exit_status::kFound;
  }

  // A line that is overwritten, on a terminal only.
  void progress(const Program& best) {
    if (isatty(STDERR_FILENO) == 0) return;
    shown_ = true;
    say(fmt::format("\r{} of {}, {} \x1b[K", instructions_of(best), counted(before_, "instruction"),
                    counted(check_.asked(), "check")));
  }
  void end_progress() const {
    if (shown_) say("\r\x1b[K");
  }

  int write() const {
    const std::string text = print(best_, names_);
    if (options_.json) {
      standard_output().write(json_text(json(text)));
      if (options_.output == "-") return status();
    } else {
      say(fmt::format("{} of {}, {}{}\n", instructions_of(best_), counted(before_, "instruction"),
                      counted(check_.asked(), "check"),
                      interrupted() ? "; stopped by Ctrl-C, it may become smaller" : ""));
    }
    if (options_.output == "-") {
      standard_output().write(text);
      return status();
    }
    const std::string problem = replace_file(options_.output, text);
    if (problem.empty()) return status();
    say_error(problem);
    return exit_status::kUnwritable;
  }

  int status() const { return interrupted() ? exit_status::kInterrupted : exit_status::kFine; }

  Json json(const std::string& text) const {
    return {{"format", "reduction"},
            {"version", 1},
            {"instructions_before", before_},
            {"instructions", instructions_of(best_)},
            {"checks", check_.asked()},
            {"interrupted", interrupted()},
            {"program", text}};
  }

  const ReduceCommand& options_;
  const Names& names_;
  CandidateCheck check_;
  Program best_;
  std::size_t before_;
  bool shown_ = false;
};

int run_reduce(const ReduceCommand& options) {
  if (options.check.find_first_not_of(" \t\n") == std::string::npos)
    return usage_error("reduce", "reduce by what? --check CMD is needed");
  Names names;
  const auto loaded = load_file(options.file, names, {.check = !options.ill_formed});
  if (!loaded) return exit_status::kUnreadable;
  if (loaded->problems.has_errors()) {
    show_problems(*loaded);
    if (!options.ill_formed) say("--allow-ill-formed reduces programs that `check` rejects\n");
    return exit_status::kRejected;
  }
  return Reduction(options, loaded->program, names).run();
}

constexpr const char* kReduceDetails =
    "CMD is run by the shell with the path of a candidate for {}, or after it; what it prints is\n"
    "thrown away. A candidate is kept when it exits with 0. The result does not depend on --jobs.\n"
    "Exit status: 0 reduced, 1 CMD does not succeed on FILE itself, 64 usage, 65 the program is\n"
    "rejected, 66 a file cannot be read, 74 the output cannot be written, 130 Ctrl-C (the "
    "smallest\n"
    "program so far is written).\n\n"
    "Examples:\n"
    "  sourir reduce big.sou --check 'sourir run {} --fuel 9999 | grep -q 42' -o small.sou\n"
    "  sourir reduce big.sou --check './differs.sh {}' --jobs 4\n";

} // namespace

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
  c.run = [o](const std::vector<std::string>& files) { return o->file = files[0], run_reduce(*o); };
  return c;
}

} // namespace sourir
