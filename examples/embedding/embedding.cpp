// sourir in a program of one's own: loads a program, runs it, optimizes it, and compares both.
//
//   cmake -S examples/embedding -B build-embedding -DCMAKE_PREFIX_PATH=PREFIX   # where it is
//   installed cmake --build build-embedding g++ embedding.cpp -o embedding $(pkg-config --cflags
//   --libs sourir)
//   ./embedding program.sou
#include "sourir/bisim/generate/generated_inputs.h"
#include "sourir/bisim/lockstep.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/json/load.h"
#include "sourir/syntax/text/printer.h"

#include <fstream>
#include <iostream>
#include <iterator>

namespace {

std::string text_of(const char* path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

// Steps that the run took; its output goes to standard output.
std::uint64_t run(const sourir::Program& program, sourir::Names& names) {
  const sourir::LinkedProgram linked(program, names);
  sourir::Input input(std::vector<sourir::Value>{}, names);
  const sourir::Schedule schedule;
  const sourir::Limits limits;
  sourir::Config c = sourir::start(linked, input, schedule, limits);
  sourir::Statistics statistics;
  sourir::run(c, {.print = [](std::string_view line) { std::cout << line << '\n'; },
                  .trace = {},
                  .interrupt = nullptr,
                  .statistics = &statistics});
  return statistics.steps;
}

} // namespace

int main(int count, char** words) {
  if (count != 2) {
    std::cerr << "usage: embedding PROGRAM.sou\n";
    return 64;
  }
  sourir::Names names;
  const sourir::Loaded loaded = sourir::load(words[1], text_of(words[1]), names);
  for (const sourir::Diagnostic& problem : loaded.problems.sorted())
    std::cerr << sourir::render(problem, loaded.source, false);
  if (loaded.problems.has_errors()) return 65;

  const auto pipeline = std::get<sourir::Pipeline>(sourir::parse_pipeline("O2"));
  const sourir::Feedback feedback;
  const auto optimized =
      sourir::run_pipeline(pipeline, loaded.program, names, feedback,
                           {.after_pass = {}, .command = {}, .compose_maps = true});
  std::cout << sourir::print(optimized.program, names);
  const std::uint64_t before = run(loaded.program, names), after = run(optimized.program, names);
  std::cout << before << " steps, optimized " << after << '\n';

  const auto verdict =
      sourir::check_lockstep(loaded.program, optimized.program, *optimized.map,
                             sourir::many_inputs(loaded.program, 1, names), {}, names);
  const bool same = verdict.agreement == sourir::Agreement::Equivalent && !verdict.vacuous();
  std::cout << (same ? "equivalent on what was tried" : verdict.report) << '\n';
  return same ? 0 : 1;
}
