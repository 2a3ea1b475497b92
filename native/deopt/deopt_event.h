// Native code was left before its activation returned: why, where, and what may be entered next.
#pragma once

#include "native/runtime/code_cache.h"

namespace sourir::native {

enum class DeoptReason : std::uint8_t {
  Exit,    // the exit of an assume or anchor is taken
  Bailout, // the baseline does the same instruction: an error, a limit, a type without code
  TierUp,  // there is better code for the loop whose header this is
};

// Code to enter in place of the activation that stands at an OSR entry. A copy: the entry may get
// other code while this runs.
struct OsrCode {
  const NativeCode* code = nullptr; // null: none
  const std::vector<Slot>* parameters = nullptr;
  OsrEntry* entry = nullptr;
};

struct DeoptEvent {
  DeoptReason reason = DeoptReason::Bailout;
  const ResolvedVersion* version = nullptr; // that was left,
  Pc pc = 0;                                // and where
  const resolved::Exit* exit = nullptr;     // Exit
  const NativeCode* left = nullptr;         // entered by OSR; null: by a call
  OsrEntry* left_entry = nullptr;           // where that was entered
  // Exit: the slots of the innermost frame that it made.
  const Value* slots = nullptr;
  // Exit: what is known of the place that it leads to, kept by who translates its frames; null:
  // nobody keeps it.
  OsrEntry** target = nullptr;
};

} // namespace sourir::native
