// `sourir reduce FILE --check CMD`: the smallest program on which a command still succeeds.
#pragma once

#include <cstdint>
#include <string>

namespace sourir {

struct ReduceCommand {
  std::string file;           // text or JSON; "-": standard input
  std::string check;          // run by the shell, {} stands for the candidate's path
  std::string output = "-";   // replaced at once; "-": standard output
  std::uint64_t jobs = 1;     // candidates that are checked at once
  std::uint64_t seconds = 10; // that a check may take
  bool ill_formed = false;    // candidates need not be well-formed
  bool json = false;
};

int run_reduce(const ReduceCommand& options);

} // namespace sourir
