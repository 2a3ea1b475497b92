// `--pass=exec:CMD`: passes that are commands of the shell. A command gets the program as JSON on
// its standard input and writes its result as JSON to its standard output (run_pipeline.h). One
// that serves (docs/own_passes.md) gets further programs, too, and is kept until the end. Threads:
// one at a time.
#pragma once

#include "sourir/os/process.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/syntax/result.h"

#include <unistd.h>

#include <cstdint>
#include <map>
#include <string>

namespace sourir {

class ExecPasses {
public:
  explicit ExecPasses(std::uint64_t seconds) : seconds_(seconds) {} // limit for each program
  ~ExecPasses() { forget_those_of_others(); }
  ExecPasses(const ExecPasses&) = delete;
  ExecPasses& operator=(const ExecPasses&) = delete;

  // From now on what commands print on standard error becomes a part of the reason why there is no
  // result, its first 4 KB; before, it is that of this process.
  void keep_errors() { keep_errors_ = true; }

  // The result, well-formed and with a map that fits it, or why it cannot be used. A result that is
  // not well-formed is shown on standard error.
  Result<CommandOutput> run(const std::string& command, const Program& program, Names& names);
  // The result unchecked, or why there is none. Reports nothing to the user.
  Result<CommandOutput> ask(const std::string& command, const Program& program, Names& names);

private:
  ProcessResult answer(const std::string& command, std::string program);
  void forget_those_of_others();

  std::uint64_t seconds_;
  bool keep_errors_ = false;
  std::map<std::string, Process> serving_; // by command
  pid_t owner_ = getpid();                 // of these processes: a fork has none of its own yet
};

} // namespace sourir
