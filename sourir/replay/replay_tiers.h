// The replay of a tier log (schedule_log.h) in the reference: versions are added and entered, OSR
// entries and exits are taken where the log has them; logged states and the end are compared.
#pragma once

#include "sourir/replay/schedule_read.h"
#include "sourir/semantics/run.h"
#include "sourir/semantics/text/state_text.h"

#include <map>

namespace sourir {

class TierReplay {
public:
  // Changes the configuration between its steps. All references must outlive the replay.
  TierReplay(const JitSchedule& schedule, Config& c, const Names& names)
      : schedule_(schedule), c_(c), names_(names) {}

  void begin() { here(); }
  // To be called after each step, with the position of that step. False: the run may end.
  bool step(const StepResult& r, const ResolvedVersion& code, Pc pc);
  void printed(std::string_view line) { output_.add(line); }
  void end(const Outcome& outcome);

  // Empty: so far the reference does the same. Otherwise several lines for people.
  const std::string& difference() const { return difference_; }
  std::string report(bool json) const; // a line, with its end

private:
  const LoggedStep* next() const;
  void here();
  bool waits_for(const OutlinedFrom& outermost) const;
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
  std::map<FunName, const LoggedVersion*> active_; // what calls enter; null: the program's own
  std::uint64_t entered_ = 0, osr_entries_ = 0, deopts_ = 0, bailouts_ = 0, states_ = 0;
  bool ended_early_ = false; // past the end of a log whose run reached a limit or was interrupted
  std::string difference_;
};

} // namespace sourir
