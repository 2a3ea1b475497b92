// What the sampling profiler found, and the files it goes to.
#pragma once

#include "native/engine/sampling.h"
#include "sourir/cli/profile_setup.h"
#include "sourir/os/output.h"

#include <string>

namespace sourir {

// The trigger, where samples came, and the table of slots of each piece of code that has some:
// slot, place, sampled kinds with their count, feedback that was used (thesis 4.2.2).
std::string profile_text(const native::SamplingReport& report);
// The same as JSON: docs/schemas/profile.schema.json.
std::string profile_json(const native::SamplingReport& report);
// For --stats: two lines.
std::string profile_summary(const native::SamplingReport& report);

// The files that a run writes of what was sampled.
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
