// Benchmark programs and competitors: the folder of the programs, engines of sourir, variants of
// them, and other languages; and the commands that run a program in each.
#pragma once

#include "sourir/os/process.h"
#include "sourir/syntax/result.h"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace sourir {

// One program at one size: the files programs/NAME.sou and peers/NAME.{c,lua,js}.
struct BenchProgram {
  std::string name;
  std::uint64_t n = 0; // its input; in other languages its argument
  std::string answer;  // its output, as sourir writes it
};

// The programs of a benchmark folder, from its programs.json.
struct BenchFolder {
  std::string path;
  std::vector<BenchProgram> programs;

  std::string source(const BenchProgram& program) const;
  // The file for that peer alone where it exists (peers/NAME.luajit.lua), else the one for the
  // language (peers/NAME.lua).
  std::string source_for(const std::string& peer, const std::string& ending,
                         const BenchProgram& program) const;
};

// `path` empty: ./bench, ., or the bench/ of the sources that this program was built from.
// `names` empty: all.
Result<BenchFolder> read_bench_folder(std::string path, const std::string& size,
                                      const std::vector<std::string>& names);

// Compares the answer of a peer: other languages may write the same float in another way.
bool same_answer(const std::string& found, const std::string& expected);

struct BenchCompetitor {
  enum class Kind : std::uint8_t { Engine, Compiled, Interpreted };

  std::string name;
  Kind kind = Kind::Engine;
  std::vector<std::string> command; // the words before the program's path
  std::string ending;               // of its sources, ".c"; engines: empty
  std::string version;              // the first line of its version message
};

struct BenchChoice {
  std::vector<std::string> engines; // names of engines and peers, or "none"; empty: all
  std::vector<std::string> sets;    // "NAME=ENGINE FLAG..."
  std::string size;                 // at "full" the reference takes part only if it is named
};

struct BenchCompetitors {
  std::vector<BenchCompetitor> present;
  std::vector<std::string> notes; // who is omitted, and why
};

// Starts each once: those that fail are omitted. The error is one in the choice.
Result<BenchCompetitors> find_competitors(const BenchChoice& choice);

// The words that run a program; `executable`: the path of the compiled program.
std::vector<std::string> command_for(const BenchCompetitor& competitor, const BenchFolder& folder,
                                     const BenchProgram& program, const std::string& executable);

// Runs a program for at most that many seconds. Keeps 1 MiB of its output, and its standard error.
ProcessResult run_bench_process(std::vector<std::string> words, std::string input, double seconds);

// The parts between commas, without empty ones.
std::vector<std::string> parts_of_list(const std::string& list);

} // namespace sourir
