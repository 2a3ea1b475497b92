// A version that was made while a program ran, checked from a state of that run on: the function is
// called with the state's values in the program and in the one with the version, in lock step
// (lockstep.h), with forced exits.
#pragma once

#include "sourir/bisim/lockstep.h"
#include "sourir/semantics/config.h"

#include <optional>
#include <span>

namespace sourir {

// Instructions that make these values, call the function with them and print its result and the
// arrays that they reach. Arrays are made again, with the same elements, aliases and cycles; the
// first kEnteredElements elements in the order of the heap, longer ones are truncated.
std::vector<Stmt> call_with_values(FunName function, std::span<const Value> arguments,
                                   const Heap& heap, Names& names);
inline constexpr std::size_t kEnteredElements = 4'000;

// Empty: an exit targets main, or the function is main, which cannot be called so.
std::optional<LockstepVerdict> check_call(const Program& input, const Program& output,
                                          const StateMap& map, FunName function,
                                          std::span<const Value> arguments, const Heap& heap,
                                          const LockstepOptions& options, Names& names);

} // namespace sourir
