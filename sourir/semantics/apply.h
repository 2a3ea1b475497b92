// Applying the effect of a transition, and undoing it. apply then undo is the identity.
#pragma once

#include "sourir/semantics/rule.h"

namespace sourir {

// What an effect overwrote: enough to undo it, of the size of the effect.
struct Undo {
  std::size_t effect = 0; // index into Effect
  const ResolvedVersion* code = nullptr;
  Pc pc = 0;
  Slot slot = 0;             // Bind, Unbind, Allocate, Pop
  Address array;             // Store
  std::size_t index = 0;     // Store
  Value old;                 // what slot or element held
  std::vector<Value> window; // the environment that Pop or Replace removed
  std::size_t frames = 0;    // pushed by Replace
  std::size_t blocks = 0;    // allocated by Replace
  std::uint64_t opportunities = 0, input_position = 0, output_bytes = 0;
  bool returned = false;
};

// Takes the transition apart. With `undo`, fills it. Counts the step, the input and the
// opportunity; `printed` is the number of bytes that a print wrote.
void apply(Config& c, Transition&& t, std::uint64_t printed, Undo* undo);
// Takes the last applied transition back.
void undo(Config& c, Undo&& u);

} // namespace sourir
