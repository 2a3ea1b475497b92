// A command run by the shell, with all of its input and output in memory.
#pragma once

#include <cstdint>
#include <string>

namespace sourir {

struct ChildResult {
  std::string output;
  std::string problem; // why the output is not to be used: how it ended; empty: it is
  bool out_of_time = false;
};

// Standard error stays ours. At the end of the time, or on Ctrl-C, the command is killed with all
// that it started in its process group.
ChildResult run_child(const std::string& command, const std::string& input, std::uint64_t seconds,
                      std::size_t most_output);

} // namespace sourir
