// The passes that a command runs, with their flags: pipelines, assumptions, feedback. Errors are
// reported on standard error.
#pragma once

#include "sourir/cli/command.h"
#include "sourir/passes/pipeline.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/json/load.h"

#include <optional>

namespace sourir {

struct PassSetup {
  std::vector<std::string> passes;      // --pass, in order
  std::vector<std::string> assumptions; // --assume F.V.L: x != nil
  std::string feedback;                 // a file; empty: none
  std::string function;                 // the only one to optimize; empty: all
  std::uint64_t exec_seconds = 60;      // limit for each exec:CMD
};

// The flag, which takes a pipeline, with names of presets and passes for completion.
Flag with_pass_names(Flag flag);
void add_pass_flags(std::vector<Flag>& flags, PassSetup& setup);

class PreparedPasses {
public:
  // Reads the pipeline, assumptions and feedback. False: an error, which has been reported;
  // status() is the exit status then.
  bool prepare(const std::string& command, const PassSetup& setup, Names& names);
  // The same for names in them that the program does not have.
  bool fits(const std::string& command, const Program& program, const Names& names);
  int status() const { return status_; }

  // Hooks that run exec:CMD and plugin:FILE; they keep a reference to `names`.
  PipelineHooks hooks(Names& names) const;
  PipelineResult run(Program program, Names& names, const PipelineHooks& hooks) const;

private:
  bool read_pipeline(const std::vector<std::string>& passes);
  bool read_feedback_file(const std::string& path, Names& names);

  PipelineResult run_for(FunName function, Program program, Names& names,
                         PipelineHooks hooks) const;

  Pipeline pipeline_;
  FeedbackFile feedback_;           // with the assumptions, in each part
  std::optional<FunName> function_; // the only one to optimize, as the tiers do
  std::uint64_t exec_seconds_ = 0;
  int status_ = 0;
};

// Reports the error of a pipeline that stopped at it.
void say_pass_error(const PipelineResult& result, Names& names);

// Replaces the program by its optimized form, loaded from its printed text so that places in
// messages refer to that text. Returns 0, or the exit status after an error has been reported.
int optimize(const std::string& command, const PassSetup& setup, Loaded& loaded, Names& names);

} // namespace sourir
