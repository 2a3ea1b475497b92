// Who takes part in a benchmark: engines of this program, variants of them, other languages.
#pragma once

#include "sourir/os/process.h"
#include "sourir/syntax/result.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace sourir {

// The programs of a benchmark folder, as its programs.json describes them.

// One program at one size. It stands in programs/NAME.sou and in peers/NAME.{c,lua,js}.
struct BenchProgram {
  std::string name;
  std::uint64_t n = 0; // what it reads, or gets as its argument
  std::string answer;  // what it prints, as sourir writes it
};

struct BenchFolder {
  std::string path;
  std::vector<BenchProgram> programs;

  std::string source(const BenchProgram& program) const;
  // What is written for the peer alone, peers/NAME.PEER.ENDING, else what is for the language.
  std::string source_for(const std::string& peer, const std::string& ending,
                         const BenchProgram& program) const;
};

// `path` empty: ./bench, ., or the bench/ of the sources that this program was built from.
// `names` empty: all. The folder, or what is wrong.
Result<BenchFolder> read_bench_folder(std::string path, const std::string& size,
                                      const std::vector<std::string>& names);

// The answer of a peer: other languages write a float in other ways, but it must be the same one.
bool same_answer(const std::string& found, const std::string& expected);

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
Result<BenchCompetitors> find_competitors(const BenchChoice& choice);

// The words that run a program; `executable` is what a compiled one was compiled to.
std::vector<std::string> command_for(const BenchCompetitor& competitor, const BenchFolder& folder,
                                     const BenchProgram& program, const std::string& executable);

// Runs it to its end, at most for these seconds; 1 MiB of its output and what it said are kept.
ProcessResult run_bench_process(std::vector<std::string> words, std::string input, double seconds);

// The parts between commas, without empty ones.
std::vector<std::string> parts_of_list(const std::string& list);

} // namespace sourir
