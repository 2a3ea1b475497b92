// The language in WebAssembly: a program on standard input is loaded, checked and run in the
// reference. Its output goes to standard output, what else there is to say to standard error.
//
// usage: driver [--deopt=SCHEDULE] [--pass=PIPELINE] [LINE...]
//
// LINE: what the program reads, one literal each. With --pass the program that runs is what the
// passes make of it, after a lock-step check of the two. Exit status: that of `sourir run`.
#include "sourir/os/exit_status.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/json/load.h"
#include "tests/wasm/optimize.h"

#include <cstdio>

namespace {

using namespace sourir;

struct Arguments {
  std::string deopt = "never", pipeline;
  std::vector<std::string> lines;
};

Arguments arguments_of(int count, char** words) {
  Arguments result;
  for (int i = 1; i < count; ++i) {
    const std::string_view word = words[i];
    if (word.starts_with("--deopt="))
      result.deopt = word.substr(8);
    else if (word.starts_with("--pass="))
      result.pipeline = word.substr(7);
    else
      result.lines.emplace_back(word);
  }
  return result;
}

std::string standard_input() {
  std::string text;
  char block[4096];
  for (std::size_t n; (n = std::fread(block, 1, sizeof block, stdin)) > 0;) text.append(block, n);
  return text;
}

class Driver {
public:
  explicit Driver(Arguments arguments) : arguments_(std::move(arguments)) {}

  int run() {
    Loaded loaded = load("program", standard_input(), names_);
    for (const Diagnostic& d : loaded.problems.sorted()) say(0, render(d, loaded.source, false));
    if (loaded.problems.has_errors()) return exit_status::kRejected;
    if (!arguments_.pipeline.empty())
      if (const int status =
              optimize(loaded.program, arguments_.pipeline, arguments_.lines, names_);
          status != 0)
        return status;
    return execute(loaded.program);
  }

private:
  int execute(const Program& program) {
    const LinkedProgram linked(program, names_);
    auto parsed = parse_schedule(arguments_.deopt, names_);
    if (!parsed) return say(exit_status::kUsage, parsed.error().message);
    Schedule schedule = *std::move(parsed);
    if (const Result<> resolved = resolve(schedule, linked); !resolved)
      return say(exit_status::kUsage, resolved.error().message);
    std::size_t next = 0;
    Input input(
        [&]() -> std::optional<std::string> {
          if (next == arguments_.lines.size()) return std::nullopt;
          return arguments_.lines[next++];
        },
        names_);
    const Limits limits;
    Config config = start(linked, input, schedule, limits);
    RunHooks hooks;
    hooks.print = [](std::string_view line) {
      std::fwrite(line.data(), 1, line.size(), stdout);
      std::fputc('\n', stdout);
    };
    const Outcome outcome = sourir::run(config, hooks);
    std::fflush(stdout);
    if (outcome.kind == OutcomeKind::Stop) return exit_code(outcome.result);
    return say(outcome.kind == OutcomeKind::Stuck ? exit_status::kStuck : exit_status::kLimit,
               std::string(name_of(outcome.kind)) + ": " + outcome.message);
  }

  Arguments arguments_;
  Names names_;
};

} // namespace

int sourir::say(int status, const std::string& message) {
  std::fprintf(stderr, "%s\n", message.c_str());
  return status;
}

int main(int count, char** words) { return Driver(arguments_of(count, words)).run(); }
