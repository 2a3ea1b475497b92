// A thread with a stack as deep as a program may recurse. Address space is reserved, memory is used
// as it is touched. Where the stack ends lies a guard; a fault there ends the work, not the
// process.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace sourir::native {

// The lowest address that deep code should use: below is a reserve for the calls that it makes
// (kStackReserve bytes), then the guard. Code that compares its stack pointer with `low` where it
// enters a function ends cleanly; the guard is for what does not: there, the work is abandoned
// where it stands, without destructors, and locks that it holds stay locked.
struct StackBounds {
  const std::byte* low = nullptr;
  const std::byte* high = nullptr;
};
inline constexpr std::size_t kStackReserve = 256 * 1024;

enum class WorkEnd : std::uint8_t {
  Done,
  StackUsedUp,
  // It was to be interrupted and did not notice: the thread still runs. What it refers to must
  // live on; leave the process with _exit.
  Abandoned,
};

struct DeepStackOptions {
  std::uint64_t bytes = std::uint64_t{64} << 20;
  const std::atomic<bool>* interrupt = nullptr;
  std::chrono::milliseconds grace{300}; // for the work to notice the interrupt
};

// Runs the work on such a thread, which the collector scans, and waits for it. Exceptions that
// leave the work are thrown here. Throws std::bad_alloc where no such stack can be reserved.
WorkEnd on_deep_stack(const DeepStackOptions& options,
                      std::function<void(const StackBounds&)> work);

} // namespace sourir::native
