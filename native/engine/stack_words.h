// The stack of an interrupted thread, as its signal handler reads it.
#pragma once

#include <cstdint>

namespace sourir::native {

// A word in any frame.
__attribute__((no_sanitize("address"), no_sanitize("thread"))) inline std::uint64_t
word_at(std::uint64_t address) {
  return *reinterpret_cast<const volatile std::uint64_t*>(address);
}

} // namespace sourir::native
