// The programs of a benchmark folder, as its programs.json describes them.
#pragma once

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace sourir {

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
std::variant<BenchFolder, std::string> read_bench_folder(std::string path, const std::string& size,
                                                         const std::vector<std::string>& names);

// The answer of a peer: other languages write a float in other ways, but it must be the same one.
bool same_answer(const std::string& found, const std::string& expected);

} // namespace sourir
