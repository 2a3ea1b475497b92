// What each pass costs on one large program and on several small ones that are as large together,
// all in memory: the time of the processor and the pages that the system had to provide.
//
// usage: pass_times BEFORE PASSES RUNS SMALL COUNT LARGE
//   BEFORE: a pipeline that runs on each program first, "" for none
//   PASSES: measured one by one on what BEFORE made, each in a process of its own, so that none
//   finds the heap that another one left; the best of RUNS counts, in turns: small, large, small
//   alone.
// Prints a line for each pass: name, milliseconds of one small program alone, of COUNT of them, of
// the large one, page faults of the COUNT, page faults of the large one.
#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/json/load.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <iostream>
#include <memory>
#include <span>
#include <sstream>

#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace sourir;

struct Loading {
  Names names;
  Program program;
};

using Programs = std::vector<std::unique_ptr<Loading>>;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

Pipeline pipeline(const std::string& text) {
  if (text.empty()) return {};
  auto parsed = parse_pipeline(text);
  if (auto* const error = std::get_if<PipelineError>(&parsed)) {
    std::cerr << "pass_times: " << error->message << "\n";
    std::exit(64);
  }
  return std::get<Pipeline>(std::move(parsed));
}

std::unique_ptr<Loading> load_program(const std::string& path, const Pipeline& before) {
  auto loading = std::make_unique<Loading>();
  Loaded loaded = load(path, text_of(path), loading->names);
  if (loaded.problems.has_errors()) {
    std::cerr << "pass_times: " << path << " is rejected\n";
    std::exit(65);
  }
  loading->program = run_pipeline(before, std::move(loaded.program), loading->names, {}).program;
  return loading;
}

struct Cost {
  double milliseconds = 0;
  long faults = 0;
};

Cost spent() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return {1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC, usage.ru_minflt};
}

Cost cost(const RunPass& pass, std::span<const std::unique_ptr<Loading>> programs) {
  std::vector<std::optional<PassResult>> results; // released after the clock
  results.reserve(programs.size());
  const Cost start = spent();
  for (const auto& p : programs)
    results.push_back(pass.row->run({p->program, p->names, pass.options, {}}));
  const Cost end = spent();
  return {end.milliseconds - start.milliseconds, end.faults - start.faults};
}

void keep_best(Cost& best, const Cost& now, bool first) {
  if (first || now.milliseconds < best.milliseconds) best = now;
}

void measure(const RunPass& pass, const Programs& small, const Programs& large, int runs) {
  Cost alone, several, one;
  for (int run = 0; run < runs; ++run) {
    keep_best(several, cost(pass, small), run == 0);
    keep_best(one, cost(pass, large), run == 0);
    keep_best(alone, cost(pass, std::span(small).first(1)), run == 0);
  }
  std::cout << pass.text << ' ' << alone.milliseconds << ' ' << several.milliseconds << ' '
            << one.milliseconds << ' ' << several.faults << ' ' << one.faults << std::endl;
}

// False: it ended otherwise than by itself.
bool in_a_process(const std::function<void()>& work) {
  const pid_t child = fork();
  if (child == 0) {
    work();
    std::_Exit(0);
  }
  int status = 0;
  return child > 0 && waitpid(child, &status, 0) == child && status == 0;
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::cerr << "usage: pass_times BEFORE PASSES RUNS SMALL COUNT LARGE\n";
    return 64;
  }
  const Pipeline before = pipeline(argv[1]), passes = pipeline(argv[2]);
  Programs small, large;
  for (int i = 0, count = std::atoi(argv[5]); i < count; ++i)
    small.push_back(load_program(argv[4], before));
  large.push_back(load_program(argv[6], before));
  const int runs = std::max(1, std::atoi(argv[3]));
  for (const PipelineStep& step : passes) {
    const auto* const pass = std::get_if<RunPass>(&step.step);
    if (pass == nullptr || !in_a_process([&] { measure(*pass, small, large, runs); })) {
      std::cerr << "pass_times: a step of PASSES is no pass, or fails\n";
      return 70;
    }
  }
}
