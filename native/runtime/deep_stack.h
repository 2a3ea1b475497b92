// Execution on a thread whose stack is as deep as a program may recurse. Address space is reserved,
// pages are committed when first touched. Below the stack lies a guard; a fault there ends the
// work, not the process.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace sourir::native {

// `low`: the lowest address for deep code; below lie a reserve for the calls that it makes
// (kStackReserve bytes) and the guard. Code that compares its stack pointer with `low` on function
// entry ends cleanly; other code faults in the guard, where the work is abandoned without
// destructors, and locks that it holds stay locked.
struct StackBounds {
  const std::byte* low = nullptr;
  const std::byte* high = nullptr;
};
inline constexpr std::size_t kStackReserve = 256 * 1024;

enum class WorkEnd : std::uint8_t {
  Done,
  StackUsedUp,
  // The work did not react to the interrupt in time and did not leave: its thread still runs. What
  // it refers to must stay alive; end the process with _exit.
  Abandoned,
};

struct DeepStackOptions {
  std::uint64_t bytes = std::uint64_t{64} << 20;
  const std::atomic<bool>* interrupt = nullptr;
  std::chrono::milliseconds grace{300}; // for the work to react to the interrupt
  // Called in a signal handler on the thread of the work, again and again, where it has not reacted
  // within `grace` and for as long again. `instruction`: the address that is interrupted. It may
  // leave by longjmp to a place of the work where that code holds no lock. May be empty.
  std::function<void(std::uint64_t instruction)> leave = {};
};

// Runs the work on such a thread, which the collector scans, and waits for it. Exceptions of the
// work are rethrown here. Throws std::bad_alloc where no such stack can be reserved.
WorkEnd on_deep_stack(const DeepStackOptions& options,
                      std::function<void(const StackBounds&)> work);

} // namespace sourir::native
