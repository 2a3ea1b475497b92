// What a pass costs on programs that are all in memory, one after the other. Ten programs of
// 10,000 instructions touch as much memory as one of 100,000; so the two can be compared without
// the caches having a say.
//
// usage: pass_times BEFORE PASS RUNS FILE...
//   BEFORE: a pipeline that runs on each program first, "" for none; prints the milliseconds of the
//   processor that PASS takes on all files together, the best of RUNS.
#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/load.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <sstream>

namespace {

using namespace sourir;

struct Loading {
  Names names;
  Program program;
};

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

double processor() { return 1e3 * static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

} // namespace

int main(int argc, char** argv) {
  if (argc < 5) {
    std::cerr << "usage: pass_times BEFORE PASS RUNS FILE...\n";
    return 64;
  }
  const Pipeline before = pipeline(argv[1]), passes = pipeline(argv[2]);
  const auto* const pass = passes.size() == 1 ? std::get_if<RunPass>(&passes[0].step) : nullptr;
  if (pass == nullptr) {
    std::cerr << "pass_times: PASS is one pass\n";
    return 64;
  }
  std::vector<std::unique_ptr<Loading>> programs;
  for (int i = 4; i < argc; ++i) programs.push_back(load_program(argv[i], before));
  double best = 0;
  for (int run = 0, runs = std::max(1, std::atoi(argv[3])); run < runs; ++run) {
    std::vector<std::optional<PassResult>> results; // released behind the clock
    results.reserve(programs.size());
    const double start = processor();
    for (const auto& p : programs)
      results.push_back(pass->row->run({p->program, p->names, pass->options, {}}));
    const double time = processor() - start;
    best = run == 0 ? time : std::min(best, time);
  }
  std::cout << best << "\n";
}
