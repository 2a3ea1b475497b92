// Breakpoints, and walks along a run in both directions: to a breakpoint, a deoptimization, the end
// of a call or frame, or a number of steps. Threads: one; another one may set `interrupt`.
#pragma once

#include "sourir/semantics/history.h"
#include "sourir/stepper/text_places.h"
#include "sourir/syntax/result.h"

#include <atomic>
#include <functional>
#include <optional>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

namespace sourir {

// Breakpoints are numbered from 1, each at one or more positions.
struct Breakpoint {
  std::uint32_t number = 0;
  std::string asked; // as written in the command
  std::vector<StepPosition> at;
};

class Breakpoints {
public:
  // The positions of a place, a function, a version or a line number; or the error. A line without
  // an instruction stands for the next one that has some.
  static Result<std::vector<StepPosition>> resolve(const StepProgram& program,
                                                   std::string_view text);

  const Breakpoint& add(std::string asked, std::vector<StepPosition> at);
  bool remove(std::uint32_t number);
  void clear();
  const std::vector<Breakpoint>& all() const { return all_; }

  bool empty() const { return all_.empty(); }
  // The lowest number of the breakpoints at p; 0: none.
  std::uint32_t at(StepPosition p) const { return all_.empty() ? 0 : look_up(p); }

private:
  std::uint32_t look_up(StepPosition p) const;
  void index();

  std::vector<Breakpoint> all_;
  std::uint32_t next_ = 1;
  std::unordered_map<const ResolvedVersion*, std::vector<std::uint32_t>> numbers_; // by position
};

enum class StepDirection : std::uint8_t { Forward, Back };

// Why a walk ended where it did.
enum class WalkEnd : std::uint8_t {
  Arrived,     // where it was meant to go
  Breakpoint,  // at a breakpoint
  Deopt,       // the rule that fires next replaces the frame
  End,         // no step can be taken from here: end() says why
  Start,       // the run starts here
  Interrupted, // by the user
};

class Walker {
public:
  // `initial` must be a start configuration. `interrupt` ends a walk; the caller clears it.
  Walker(Config initial, const std::atomic<bool>& interrupt)
      : history_(std::move(initial)), interrupt_(interrupt) {}

  const Config& config() const { return history_.config(); }
  StepPosition position() const { return {config().code, config().pc}; } // not after stop
  const std::string& output() const { return history_.output(); }
  Breakpoints& breakpoints() { return breakpoints_; }
  const Breakpoints& breakpoints() const { return breakpoints_; }

  WalkEnd step(StepDirection direction);
  // To the next breakpoint.
  WalkEnd to_breakpoint(StepDirection direction);
  // To the next configuration in which a rule with a Replace effect fires.
  WalkEnd to_deopt(StepDirection direction);
  // As step, but over all of a call, unless there is a breakpoint inside.
  WalkEnd over_call(StepDirection direction);
  // Out of the current frame and those that replace it: to the position after its return; back: to
  // the one before its call. Stops at breakpoints.
  WalkEnd out_of_frame(StepDirection direction);
  // To a number of steps, or the end.
  WalkEnd to_step(std::uint64_t number);

  // Called now and then during a long walk.
  void on_progress(std::function<void()> call) { progress_ = std::move(call); }

  // Whether the run ends here, and how; status `Stepped`: no end is known. Limits other than fuel
  // are known only once a step has been tried.
  StepResult end() const;
  // Whether the rule that fires here replaces the frame.
  bool at_deopt() const;

private:
  template <class Arrived>
  WalkEnd walk(StepDirection direction, Arrived arrived);
  std::optional<WalkEnd> at_breakpoint() const;

  History history_;
  Breakpoints breakpoints_;
  const std::atomic<bool>& interrupt_;
  std::function<void()> progress_;
  std::optional<StepResult> refused_; // the result of the last step that could not be taken,
  std::uint64_t refused_at_ = 0;      // and the number of steps before it
};

} // namespace sourir
