// Does in the reference what the tiers did to a program (schedule_log.h), and compares: versions
// are added and entered, frames move, exits are taken where the log says, states and the end agree.
#pragma once

#include "sourir/replay/schedule_read.h"
#include "sourir/semantics/run.h"
#include "sourir/semantics/text/state_text.h"

#include <map>

namespace sourir {

class TierReplay {
public:
  // Changes the configuration between its steps. All must outlive it.
  TierReplay(const JitSchedule& schedule, Config& c, const Names& names)
      : schedule_(schedule), c_(c), names_(names) {}

  void begin() { here(); }
  // After each step, that was made at `pc` of `code`. False: it need not go on.
  bool step(const StepResult& r, const ResolvedVersion& code, Pc pc);
  void printed(std::string_view line) { output_.add(line); }
  void end(const Outcome& outcome);

  // Empty: so far the reference does the same. Otherwise several lines for people.
  const std::string& difference() const { return difference_; }
  std::string report(bool json) const; // a line, with its end

private:
  const LoggedStep* next() const;
  void here();
  void deoptimize(const LoggedStep& step);
  void called();
  void compare(const LoggedStep& step);
  void differs(const std::string& what, const LoggedStep* step);

  const JitSchedule& schedule_;
  Config& c_;
  const Names& names_;
  Digest output_;
  std::uint64_t events_ = 0;
  std::size_t next_ = 0;
  std::map<FunName, const LoggedVersion*> active_; // of functions that calls enter elsewhere
  std::uint64_t entered_ = 0, osr_entries_ = 0, deopts_ = 0, bailouts_ = 0, states_ = 0;
  bool ended_early_ = false; // the run ended at a limit or was interrupted, which is passed
  std::string difference_;
};

} // namespace sourir
