// Who takes part in a benchmark: engines of this program, variants of them, other languages.
#pragma once

#include "sourir/cli/bench/bench_programs.h"
#include "sourir/os/process.h"

#include <string>
#include <variant>
#include <vector>

namespace sourir {

struct BenchCompetitor {
  enum class Kind : std::uint8_t { Engine, Compiled, Interpreted };

  std::string name;
  Kind kind = Kind::Engine;
  std::vector<std::string> command; // what stands in front of the program's path
  std::string ending;               // of its source; engines: empty
  std::string version;              // the first line that it says about itself
};

struct BenchChoice {
  std::vector<std::string> engines; // names of engines and peers; empty: all
  std::vector<std::string> sets;    // "NAME=ENGINE FLAG..."
  std::string size;                 // at "full" the reference takes part only if it is named
};

struct BenchCompetitors {
  std::vector<BenchCompetitor> present;
  std::vector<std::string> notes; // who is left out, and why
};

// Tries each once. The text says what is wrong with the choice.
std::variant<BenchCompetitors, std::string> find_competitors(const BenchChoice& choice);

// The words that run a program; `executable` is what a compiled one was compiled to.
std::vector<std::string> command_for(const BenchCompetitor& competitor, const BenchFolder& folder,
                                     const BenchProgram& program, const std::string& executable);

// Runs it to its end, at most for these seconds; 1 MiB of its output and what it said are kept.
ProcessResult run_bench_process(std::vector<std::string> words, std::string input, double seconds);

// The parts between commas, without empty ones.
std::vector<std::string> parts_of_list(const std::string& list);

} // namespace sourir
