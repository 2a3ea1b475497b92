// Reports about a run that has ended: outcome, statistics and samples as text for people and as
// JSON, and the files for samples.
#pragma once

#include "native/engine/engine.h"
#include "native/engine/sampling.h"
#include "sourir/bisim/added_version_check.h"
#include "sourir/cli/profile_setup.h"
#include "sourir/os/output.h"
#include "sourir/semantics/run.h"
#include "sourir/stepper/text_places.h"

#include <string>

namespace sourir {

// The data of a run that has ended.
struct EndedRun {
  const TextPlaces& places;
  const Config& config;
  const Outcome& outcome;
  const Statistics& statistics;
  double seconds = 0;
  int exit_code = 0;
  std::string_view engine = "reference";            // as in --engine
  const native::EngineStatistics* counts = nullptr; // of another engine than the reference
  const TriedParts* verified = nullptr;             // of --verify
  nlohmann::ordered_json why;                       // of --why: the answers; null: nobody asked
};

// The message of a program that is stuck, at a limit or interrupted, as compilers show errors:
// place, source line, values and frames.
std::string failure_text(const EndedRun& run, bool colour);
// A table of all counts.
std::string statistics_text(const EndedRun& run);

// docs/schemas/outcome.schema.json. One line, without statistics.
std::string outcome_json_line(const EndedRun& run);
std::string outcome_json(const EndedRun& run); // with statistics, on several lines
std::string statistics_json(const EndedRun& run);
// The outcome of a program that was not run, with its problems.
std::string rejected_json_line(const Loaded& loaded);

// The report of the sampling profiler: the trigger, the number of samples by tier, and the table of
// slots of each code object with some: slot, place, sampled types with their counts, feedback that
// was used (dissertation 4.2.2).
std::string profile_text(const native::SamplingReport& report);
// The same as JSON: docs/schemas/profile.schema.json.
std::string profile_json(const native::SamplingReport& report);
// For --stats: three lines.
std::string profile_summary(const native::SamplingReport& report);

// The files that a run writes of its samples.
class ProfileFiles {
public:
  // Returns the error, or nothing.
  std::string open(const ProfileOptions& options);
  // `program`: its name, for people. `advice`: NativeRun::advice(), for the report as JSON.
  void write(const native::SamplingReport& report, const std::string& program,
             const std::string& advice);
  std::string close(); // the error of writing, or nothing

private:
  bool to_stderr_ = false, json_ = false;
  SideFile report_, samples_, folded_, speedscope_, html_;
};

} // namespace sourir
