// The files that a run writes of what was sampled.
#pragma once

#include "native/engine/sampling.h"
#include "sourir/cli/profile_setup.h"
#include "sourir/os/side_file.h"

namespace sourir {

class ProfileFiles {
public:
  // What is wrong, or nothing.
  std::string open(const ProfileOptions& options);
  // program: its name, for people. A report for standard error is said.
  void write(const native::SamplingReport& report, const std::string& program);
  std::string close(); // what could not be written, or nothing

private:
  bool to_stderr_ = false, json_ = false;
  SideFile report_, samples_, folded_, speedscope_, html_;
};

} // namespace sourir
