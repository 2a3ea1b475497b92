// Counterexamples as data and as text: the positions of both sides when they last agreed, the step
// in which they differ, the values beside each other, the code with both positions marked.
#pragma once

#include "sourir/bisim/expected_states.h"

namespace sourir {

inline constexpr std::size_t kShownFrames = 3, kShownExits = 2;

// The position of a run and its frames.
struct RunPoint {
  struct Frame {
    std::string place, instruction; // "F.V.L+1", "print x"
    std::vector<std::pair<std::string, std::string>> values;
  };
  std::uint64_t steps = 0, depth = 0;
  std::vector<Frame> frames; // innermost first, at most kShownFrames
  std::string rule;          // that fires next; empty: none
  std::string does;          // "prints 8"; empty: nothing observable
};

struct ListedVersion {
  struct Line {
    std::string text;
    bool here = false;
    std::optional<Pc> at = std::nullopt; // of an instruction
  };
  std::string name; // "F.V"
  std::vector<Line> lines;
};

struct CounterexampleSide {
  std::string name; // "the input"
  std::optional<RunPoint> agreed, differs;
  std::vector<ListedVersion> code;
};

struct Counterexample {
  std::string what;
  std::string deopt;
  std::string main;               // that both run instead of their own; empty: their own
  std::vector<std::string> reads; // those that were read, at least
  std::uint64_t events = 0;       // that agree
  std::string last_event;         // of them
  CounterexampleSide input, output;
  // What the schedule forced, the first kShownExits: before and after the exit, or after the
  // call that entered another version than it would have.
  struct Forced {
    RunPoint before, after;
  };
  std::vector<Forced> forced;
  std::uint64_t more_forced = 0;
  // Of a state that is not met, or of two exits to one place.
  struct States {
    std::string left_name, right_name;
    ShownState left, right;
    std::uint64_t candidates = 0; // 0: there is no right one
  };
  std::optional<States> states;
  // first_difference() of both runs, if it is before the step that differs.
  struct FirstState {
    RunPoint input, output;
  };
  std::optional<FirstState> first_state;
};

// Of a configuration, with its next step.
RunPoint run_point(const Config& c);
// Adds the code of a version with the position marked, as many lines as fit a screen; where that
// code is listed already, only the mark.
void list(CounterexampleSide& side, const ResolvedVersion& code, Pc pc, const Names& names);

std::string text(const Counterexample& found);

} // namespace sourir
