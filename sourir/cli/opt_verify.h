// `opt --verify-each`: after each change the program runs beside the one before (lockstep.h).
#pragma once

#include "sourir/bisim/lockstep.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/semantics/text/value_json.h"

namespace sourir {

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

} // namespace sourir
