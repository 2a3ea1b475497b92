// Limits of a run. Reaching a limit is an outcome of its own, never an error of the program. Limits
// count steps, bytes and frames of the reference semantics, so that all engines agree on them.
#pragma once

#include <cstdint>
#include <limits>

namespace sourir {

enum class Limit : std::uint8_t { None, Fuel, Heap, Depth, Array, Output };
const char* name_of(Limit limit); // "fuel", "heap", "depth", "array", "output"

struct Limits {
  std::uint64_t fuel = std::numeric_limits<std::uint64_t>::max(); // steps
  std::uint64_t heap = std::uint64_t{4} << 30;                    // bytes of arrays: Heap::bytes
  std::uint64_t depth = 2'000'000;                                // continuations
  std::uint64_t array = 100'000'000;                              // elements of one array
  std::uint64_t output = std::uint64_t{1} << 30;                  // bytes printed
  std::uint64_t stack = std::uint64_t{8} << 30; // bytes of stack at calls; reported as depth
};

} // namespace sourir
