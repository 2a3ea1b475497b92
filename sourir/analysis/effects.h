// Effects of calls of a function. They hold for each version of it, whichever a call enters, and
// for everything that its exits lead to; they say nothing about callers (docs/soundness.md "Open
// world").
#pragma once

#include "sourir/analysis/call_graph.h"

namespace sourir {

struct Effects {
  bool reads = false, prints = false;
  bool stops = false;    // ends the program by `stop`
  bool fails = false;    // gets stuck
  bool diverges = false; // has loops, recursion, or exits that lead around in a circle
  bool returns = false;
  bool allocates = false;
  bool stores = false;     // into any array, its own new ones included
  bool writes_any = false; // into arrays that were there before and that it was not given
  std::vector<bool> writes_parameter; // into the array that it was given there

  // An array that was there before may look different afterwards.
  bool writes() const;
  // A call is nothing but a value and new arrays.
  bool pure() const { return !reads && !prints && !stops && !fails && !diverges && !writes(); }
  // The union; whether it is more than this was.
  bool join(const Effects& other);
  friend bool operator==(const Effects&, const Effects&) = default;
};

class ProgramEffects {
public:
  explicit ProgramEffects(const Program& program);

  const Effects& of(FunName function) const { return effects_[graph_.index(function)]; }
  // Everything, if the callee is not named.
  const Effects& of(const Call& call) const;
  const CallGraph& graph() const { return graph_; }

private:
  CallGraph graph_;
  std::vector<Effects> effects_; // by function
  Effects everything_;
};

} // namespace sourir
