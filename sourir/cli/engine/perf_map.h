// `run --perf-map`: where native code lies, for Linux's perf, which looks for a file of this name
// and form (tools/perf/Documentation/jit-interface.txt): "START SIZE NAME", numbers in hex.
#pragma once

#include "native/engine/engine.h"
#include "sourir/os/files.h"
#include "sourir/os/output.h"

#include <optional>
#include <string>

namespace sourir {

class PerfMap {
public:
  // /tmp/perf-PID.map of this process. What is wrong, or nothing.
  std::string open();
  // A line for each piece of code, in the file when this returns: F.V for what calls enter,
  // F.V@POSITION for what running frames enter. Code that is made again gets another line.
  void add(const native::MadeCode& made, const Names& names);
  // What went wrong since then, or nothing.
  std::string problem() const { return out_ ? out_->problem() : std::string(); }

private:
  OpenFile file_;
  std::optional<Output> out_; // flushed before the file is closed
};

} // namespace sourir
