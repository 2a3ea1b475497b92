// `sourir analyze FILE --show=ANALYSES`
#pragma once

#include "sourir/cli/command.h"

namespace sourir {

struct AnalyzeOptions {
  std::string file;         // text or JSON; "-": standard input
  std::string show = "cfg"; // names with commas between
  std::string function;     // only this one; empty: all
  bool json = false;
  bool dot = false; // cfg, dom, postdom
};

int run_analyze(const AnalyzeOptions& options);
Command analyze_command();

} // namespace sourir
