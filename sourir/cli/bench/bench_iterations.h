// Several iterations of a benchmark program in one process (`sourir bench --iterations`;
// dissertation 5.1): programs and drivers that repeat it, and the times between its answers.
#pragma once

#include "sourir/cli/bench/bench_report.h"

namespace sourir {

// The program of the file with another main, which executes the former main as often as asked, and
// then reads one value more: before an engine waits for input it writes what was printed. Errors:
// the file cannot be read or is rejected; something but the start of the run enters main.
Result<std::string> iterated_program(const std::string& path, std::uint64_t times);

// A program in the language of the ending (".c", ".lua", ".js") that executes the main program of
// the source for each line of its input, with the line as argument. It keeps the state of the
// language's engine, not that of the program. The source: the argument, in C `path`.
std::string iteration_driver(const std::string& ending, const std::string& path);

// Runs the process, giving it the next line of input after each answer.
struct IterationsRun {
  ProcessResult process;
  std::vector<std::string> answers;
  std::vector<BenchSample> samples; // the first since the start of the process; memory: 0
};
IterationsRun run_iterations(std::vector<std::string> words, const BenchProgram& program,
                             std::uint64_t times, bool reads_once_more, double seconds);

} // namespace sourir
