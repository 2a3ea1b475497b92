// States near those of a run, for checks: what one state does not reach, another one may.
#pragma once

#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/semantics/config.h"

#include <span>
#include <vector>

namespace sourir {

// Other states with values of the same types.
class VariedStates {
public:
  explicit VariedStates(std::uint64_t seed) : choices_(seed) {}

  // Changes some of the values in the first `count` slots of the frame, or in arrays that they
  // reach.
  void vary(Config& c, std::size_t count, std::uint64_t number);
  // Changes the variable, and those of the frame with the same value, which may be copies of it, or
  // an array that it holds. False: it stays the same.
  bool vary_slot(Config& c, Slot slot);
  // Changes one to three of the frame's variables, or arrays that they hold, to values of any type:
  // numbers often to some of `numbers`. The state at a call or read may become one behind it.
  void change(Config& c, std::span<const Value> numbers, Str string);

private:
  Value varied(Value v);
  Value any_simple(std::span<const Value> numbers, Str string);
  Value any_value(Config& c, std::span<const Value> numbers, Str string);
  void vary_array(Heap& heap, Value array);

  ChoiceSequence choices_;
};

// The states behind a call or read, each with another type of its result.
std::vector<Config> with_results(const Config& at_instr, Str string);

// string: a value where guards test that type.
// The state at a branch with other values of the variables in its condition, so that it goes the
// other way: a few such states, or none. Precondition: the condition has a value.
std::vector<Config> with_other_outcome(const Config& at_branch, Str string);
// The state at an assume or an assert with other values of the variables in its guards, so that all
// hold: a few such states, or none.
std::vector<Config> with_passing_guards(const Config& at_guards, Str string);

} // namespace sourir
