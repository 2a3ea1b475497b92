// `sourir run --engine=baseline|native|auto`: the run is on a thread of its own, so that Ctrl-C
// ends it also where native code looks at nothing.
#pragma once

#include "native/runtime/engine.h"
#include "sourir/cli/output.h"
#include "sourir/cli/run.h"

#include <mutex>

namespace sourir {

class NativeRun {
public:
  NativeRun(const RunOptions& options, Output& out, Names& names);

  // To the end. Throws std::bad_alloc where there is no memory, native::NoCompiler.
  native::EngineRun run(const LinkedProgram& program, Input& input, const Schedule& schedule);
  // Ctrl-C came and it did not notice, or the program ended before its compiler. A thread still
  // uses everything: leave() is the way out.
  bool abandoned() const { return abandoned_; }
  [[noreturn]] static void leave(int status); // after the last flush of standard output

  // What was printed so far leaves the process: for whoever waits for input.
  void flush();

private:
  void print(std::string_view line);

  native::NativeSettings settings_;
  native::EngineHooks hooks_;
  Output& out_;
  std::timed_mutex writing_; // kept by us where the run is abandoned: it writes no more
  bool abandoned_ = false;
};

} // namespace sourir
