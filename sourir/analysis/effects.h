// Effects of calls of a function: they cover each version of it, whichever a call enters, and the
// code that its exits enter, but not its callers (docs/soundness.md "Open world").
#pragma once

#include "sourir/analysis/call_graph.h"

namespace sourir {

struct Effects {
  bool reads = false, prints = false;
  bool stops = false;    // ends the program by `stop`
  bool fails = false;    // gets stuck
  bool diverges = false; // has loops, recursion, or cycles of exits
  bool returns = false;
  bool allocates = false;
  bool stores = false;                // into any array, its own new ones included
  bool writes_any = false;            // into arrays that existed before, other than arguments
  std::vector<bool> writes_parameter; // by parameter: into the array that is this argument

  // Whether an array that existed before the call may change.
  bool writes() const;
  // Whether a call only computes a value and makes new arrays.
  bool pure() const { return !reads && !prints && !stops && !fails && !diverges && !writes(); }
  // Union; true if this changed.
  bool join(const Effects& other);
  friend bool operator==(const Effects&, const Effects&) = default;
};

class ProgramEffects {
public:
  explicit ProgramEffects(const Program& program);

  const Effects& of(FunName function) const { return effects_[graph_.index(function)]; }
  // All effects if the callee is not a constant.
  const Effects& of(const Call& call) const;
  const CallGraph& graph() const { return graph_; }

private:
  CallGraph graph_;
  std::vector<Effects> effects_; // by function
  Effects everything_;
};

} // namespace sourir
