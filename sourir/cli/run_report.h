// What is said about a run when it has ended: to people, and as JSON.
#pragma once

#include "native/engine/engine.h"
#include "native/engine/sampling.h"
#include "sourir/cli/profile_setup.h"
#include "sourir/os/output.h"
#include "sourir/semantics/run.h"
#include "sourir/stepper/text_places.h"

#include <string>

namespace sourir {

// A run that has ended, and all that can be said about it.
struct EndedRun {
  const TextPlaces& places;
  const Config& config;
  const Outcome& outcome;
  const Statistics& statistics;
  double seconds = 0;
  int exit_code = 0;
  std::string_view engine = "reference";            // as in --engine
  const native::EngineStatistics* counts = nullptr; // of another engine than the reference
};

// The program is stuck, at a limit or was interrupted: message, place, source line, values and
// the frames. As compilers show errors.
std::string failure_text(const EndedRun& run, bool colour);
// A table of all counts.
std::string statistics_text(const EndedRun& run);

// docs/schemas/outcome.schema.json. One line, without statistics.
std::string outcome_json_line(const EndedRun& run);
std::string outcome_json(const EndedRun& run); // with statistics, on several lines
std::string statistics_json(const EndedRun& run);
// The outcome of a program that was not run, with its problems.
std::string rejected_json_line(const Loaded& loaded);

// What the sampling profiler found, and the files it goes to.

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
