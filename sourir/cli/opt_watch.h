// What `opt` shows, checks and counts after each pass.
#pragma once

#include "sourir/bisim/lockstep.h"
#include "sourir/cli/opt.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/semantics/text/value_json.h"

namespace sourir {

// `opt --verify-each`: after each change the program runs beside the one before (lockstep.h).
class PassVerifier {
public:
  // What the program reads: a file with one literal a line; empty: generated. The problem, or
  // nothing.
  std::string read_inputs(const std::string& path, const Program& program, Names& names);
  void set_fuel(std::uint64_t steps) { options_.fuel = steps; }
  // The command that does all of it; a report adds how far.
  void set_command(std::string command) { command_ = std::move(command); }

  // False: a difference, which has been said on standard error.
  bool agrees(const PassEvent& event, Names& names);

  // exit_status::kFine, kFound or kInconclusive; what could not be told has been said.
  int status() const { return status_; }
  Json json() const;
  std::string text() const; // a line

private:
  bool fits(const PassEvent& event, const StateMap& map, Names& names);

  LockstepOptions options_;
  std::vector<std::vector<Value>> inputs_;
  LockstepVerdict sum_; // of all changes
  std::uint64_t changes_ = 0;
  std::string command_;
  std::optional<Json> difference_; // the first
  int status_ = 0;
};

class PassWatch {
public:
  // Keeps references to all; null: nothing is verified.
  PassWatch(const OptOptions& options, PassVerifier* verifier, Names& names)
      : options_(options), verifier_(verifier), names_(names) {}

  Verdict after(const PassEvent& event);
  // The end of the pipeline.
  void finish(const PipelineResult& result);
  int status() const { return status_; } // what `opt` exits with, kFine if nothing is wrong

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
