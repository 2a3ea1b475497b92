// Counters of a version whose instructions are executed one by one: by the interpreter, by the
// runtime where it finds the guard that failed, by the reference.
#pragma once

#include "native/runtime/optimized_version.h"
#include "profiler/event_code.h"

#include <memory>

namespace sourir::native {

// Two counters a position, those of `own`: how often its instruction was executed to its end, then
// how often its exit was taken. `optimized`: as for identify(). With the lock of the names held.
std::shared_ptr<profiler::EventCode> counted_by_position(const ResolvedVersion& version,
                                                         const OptimizedVersion* optimized,
                                                         const Names& names,
                                                         const profiler::EventSet& wanted);

inline std::size_t counter_of_instruction(Pc pc) { return std::size_t{2} * pc; }
inline std::size_t counter_of_exit(Pc pc) { return std::size_t{2} * pc + 1; }

} // namespace sourir::native
