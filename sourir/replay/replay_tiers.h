// The replay of a tier log (schedule_log.h) in the reference: versions are added and entered, OSR
// entries and exits are taken where the log has them; logged states and the end are compared.
#pragma once

#include "sourir/replay/schedule_read.h"
#include "sourir/semantics/growth.h"
#include "sourir/semantics/run.h"
#include "sourir/semantics/text/state_text.h"

namespace sourir {

// What the log says happened, step for step, as a schedule of growth. The log must outlive it.
GrowthSchedule growth_of(const JitSchedule& log);

class TierReplay {
public:
  // The configuration grows as the log says. All references must outlive the replay.
  TierReplay(const JitSchedule& schedule, Config& c, const Names& names)
      : schedule_(schedule), growth_(growth_of(schedule)), c_(c), names_(names) {
    c.growth = &growth_;
  }
  TierReplay(const TierReplay&) = delete;
  TierReplay& operator=(const TierReplay&) = delete;

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
  void grown(const StepResult& r);
  bool exited(const ResolvedVersion& code, Pc pc);
  void compare(const LoggedStep& step);
  void differs(const std::string& what, const LoggedStep* step);

  const JitSchedule& schedule_;
  GrowthSchedule growth_;
  Config& c_;
  const Names& names_;
  Digest output_;
  std::size_t next_ = 0;
  std::uint64_t entered_ = 0, osr_entries_ = 0, deopts_ = 0, bailouts_ = 0, states_ = 0;
  bool ended_early_ = false; // past the end of a log whose run reached a limit or was interrupted
  std::string difference_;
};

} // namespace sourir
