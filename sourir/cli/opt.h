// `sourir opt FILE --pass=PIPELINE`: its options, its reports about a pipeline that has run and
// about all passes, and what it shows and checks after each pass.
#pragma once

#include "sourir/bisim/lockstep.h"
#include "sourir/cli/pass_setup.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/semantics/text/state_text.h"

#include <limits>
#include <string>

namespace sourir {

struct OptOptions {
  std::string file; // text or JSON; "-": standard input
  PassSetup setup;
  std::string output = "-"; // replaced at once; "-": standard output; *.json: the JSON form
  std::string state_map;    // a file for the map from the result to the input; empty: none
  std::string stats;        // empty: none; "text" or "json", on standard error
  bool list_passes = false;
  bool json = false; // the result and its report as JSON
  bool print_after_all = false, print_changed = false;
  bool verify_each = false;     // in lock step with the program before the pass
  std::string input;            // a file that the program reads then; empty: generated inputs
  std::uint64_t fuel = 100'000; // steps of each run of it
  bool check_each = false;      // well-formedness after each pass also in large programs
  bool remarks = false, time_passes = false;
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t bisect_limit = kNoLimit; // changes that are kept
};

// All passes with their options, and the presets.
std::string passes_text();
Json passes_json();

struct ProgramSize {
  std::size_t functions = 0, versions = 0, instructions = 0;
};
ProgramSize size_of(const Program& program);

struct OptReport {
  const PipelineResult& result;
  ProgramSize before;
};

std::string statistics_text(const OptReport& report);
Json statistics_json(const OptReport& report);
// The times of the passes, slowest first.
std::string times_text(const PipelineResult& result);
// The remarks of the passes and the pipeline, each once.
std::vector<std::string> remarks(const PipelineResult& result);

// `opt --verify-each`: after each change the program runs in lock step with the one before.
class PassVerifier {
public:
  PassVerifier() { options_.every_place = true; }
  // check_inputs() for the runs. Returns the error, or nothing.
  std::string read_inputs(const std::string& path, const Program& program, Names& names);
  void set_fuel(std::uint64_t steps) { options_.fuel = steps; }
  // The command line that verifies the same; reports append --opt-bisect-limit.
  void set_command(std::string command) { command_ = std::move(command); }

  // False: a difference, which has been reported on standard error.
  bool agrees(const PassEvent& event, Names& names);

  std::uint64_t changes() const { return changes_; } // that were compared
  // exit_status::kFine, kFound or kInconclusive.
  int status() const { return status_; }
  Json json() const;
  // What was compared, a line; in front of it one for each reason why changes could not be decided.
  std::string text() const;

private:
  struct Undecided {
    std::string why;
    std::vector<std::string> passes;
  };

  bool fits(const PassEvent& event, const StateMap& map, Names& names);
  void note_inconclusive(const std::string& pass, const std::string& report);
  void note_uncovered(const PassEvent& event, const StateMap& map, Names& names);

  LockstepOptions options_;
  std::vector<std::vector<Value>> inputs_;
  LockstepVerdict sum_; // counts of all changes
  std::uint64_t changes_ = 0;
  std::uint64_t uncovered_ = 0; // mandatory positions without a state that can be compared
  std::string command_;
  std::vector<Undecided> undecided_; // in the order of the first pass
  std::optional<Json> difference_;   // the first
  int status_ = 0;
};

// What `opt` shows, checks and counts after each pass.
class PassWatch {
public:
  // Keeps references. `verifier` null: nothing is verified.
  PassWatch(const OptOptions& options, PassVerifier* verifier, Names& names)
      : options_(options), verifier_(verifier), names_(names) {}

  Verdict after(const PassEvent& event);
  // The checks at the end of the pipeline.
  void finish(const PipelineResult& result);
  int status() const { return status_; } // the exit status

private:
  void show(const PassEvent& event) const;
  bool over_limit(const PassReport& report);
  bool broken(const Program& program, const std::string& pass);

  const OptOptions& options_;
  PassVerifier* verifier_;
  Names& names_;
  std::uint64_t changes_ = 0;
  int status_ = 0;
};

} // namespace sourir
