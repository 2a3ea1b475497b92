// What commands that optimize are told: the passes, and what they may assume.
#pragma once

#include "sourir/cli/command.h"
#include "sourir/passes/pipeline.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/json/load.h"
#include "sourir/syntax/result.h"

#include <optional>

namespace sourir {

struct PassSetup {
  std::vector<std::string> passes;      // --pass, in a row
  std::vector<std::string> assumptions; // --assume F.V.L: x != nil
  std::string feedback;                 // a file; empty: none
  std::uint64_t exec_seconds = 60;      // that exec:CMD may take
};

void add_pass_flags(std::vector<Flag>& flags, PassSetup& setup);

class PreparedPasses {
public:
  // Reads all of it. False if something is wrong, which has been said; status() is what to exit
  // with then.
  bool prepare(const std::string& command, const PassSetup& setup, Names& names);
  // The same for what the program does not have.
  bool fits(const std::string& command, const Program& program, const Names& names);
  int status() const { return status_; }

  // Asks exec:CMD; keeps `names`.
  PipelineHooks hooks(Names& names) const;
  PipelineResult run(Program program, Names& names, const PipelineHooks& hooks) const;

private:
  bool read_pipeline(const std::vector<std::string>& passes);
  bool read_feedback_file(const std::string& path, Names& names);

  Pipeline pipeline_;
  Feedback feedback_;
  std::uint64_t exec_seconds_ = 0;
  int status_ = 0;
};

// What `sourir opt` makes of the program, read from its text again, so that all that is said about
// it speaks of that text. 0, or the exit status: what is wrong has been said.
int optimize(const std::string& command, const PassSetup& setup, Loaded& loaded, Names& names);

// `--pass=exec:CMD`: a pass that is a command. It gets the program as JSON on its standard input
// and answers with JSON on its standard output (run_pipeline.h).

// The answer, well-formed and with a map that fits it, or why it cannot be used.
Result<CommandOutput> run_exec_pass(const std::string& command, const Program& program,
                                    Names& names, std::uint64_t seconds);

// The answer as it is, or why there is none. Says nothing to the user.
Result<CommandOutput> ask_exec_pass(const std::string& command, const Program& program,
                                    Names& names, std::uint64_t seconds);

} // namespace sourir
