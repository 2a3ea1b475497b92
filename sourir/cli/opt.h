// `sourir opt FILE --pass=PIPELINE`
#pragma once

#include <string>

namespace sourir {

struct OptOptions {
  std::string file;         // text or JSON; "-": standard input
  std::string pipeline;     // --pass
  std::string output = "-"; // replaced at once; "-": standard output
  bool list_passes = false;
};

int run_opt(const OptOptions& options);

} // namespace sourir
