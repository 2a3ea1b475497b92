// Checks of the dispatch by contexts, for campaigns: what it decides only costs time where it is
// wrong, since code tests what it relies on. Written down once more, from the definitions: nothing
// that the dispatch uses to decide is used here.
// Threads: of the program.
#pragma once

#include "native/deopt/deopt_context.h"
#include "native/runtime/native_code.h"

namespace sourir::native {

// Whether a continuation for the context may be entered by an exit to this target with this cause
// and these values.
bool holds_of(const DeoptContext& context, const DeoptTarget& target, DeoptCause cause,
              const Value* values);

// The versions of a function that calls test only after one that their context entails.
std::uint64_t misplaced_versions(const DispatchTable& table);

} // namespace sourir::native
