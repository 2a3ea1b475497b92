// What interrupts a running program for a sample: four ways behind one interface, the best that
// this machine has chosen when a run begins (docs/profiler.md).
#pragma once

#include <csignal>
#include <cstdint>
#include <ctime>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

struct perf_event_attr;

namespace sourir::profiler {

enum class TriggerKind : std::uint8_t {
  Instructions, // perf_event_open: retired instructions in user mode, of the hardware's counter
  TaskClock,    // perf_event_open: the time that the thread runs
  Timer,        // timer_create on CLOCK_MONOTONIC
  Loop,         // native code counts ends of rounds and calls: the same in each run
};
const char* name_of(TriggerKind kind);

// Periods are said in instructions; a clock takes two of them for a nanosecond.
inline constexpr std::uint64_t kInstructionsPerNanosecond = 2;

// Where the thread was interrupted.
struct Interrupted {
  std::uint64_t instruction = 0, frame = 0, stack = 0; // the three pointers
};

// The system calls of the triggers; tests replace them by some that fail. Null: the real one. All
// return -1 and set errno where they fail.
struct SystemCalls {
  int (*perf_event_open)(perf_event_attr* what, int pid, int cpu, int group,
                         unsigned long flags) = nullptr;
  int (*timer_create)(clockid_t clock, sigevent* event, timer_t* timer) = nullptr;
};

// Signals come to the thread that it was made on, which may not have two at a time. Made and
// destroyed there.
class Trigger {
public:
  // In the signal handler: it may only store into memory that is there, or call arm().
  using Handler = void (*)(void* context, const Interrupted& at);

  explicit Trigger(TriggerKind kind) : kind_(kind) {}
  virtual ~Trigger() = default;
  Trigger(const Trigger&) = delete;
  Trigger& operator=(const Trigger&) = delete;
  TriggerKind kind() const { return kind_; }
  // From now on each `period` instructions; 0: no more. One system call: async-signal-safe.
  virtual void arm(std::uint64_t period) = 0;

private:
  TriggerKind kind_;
};

struct TriggerOptions {
  std::optional<TriggerKind> kind; // empty: the first that works, in the order of TriggerKind
  std::uint64_t period = 500'000;  // instructions
  SystemCalls calls;
};

struct ChosenTrigger {
  std::unique_ptr<Trigger> trigger; // null: none of those that were allowed works, or Loop
  std::optional<TriggerKind> kind;  // that of the trigger, or Loop
  std::vector<std::string> refused; // "hardware counter: No such file or directory"
};

// Begins at once. Not armed twice on one thread.
ChosenTrigger start_trigger(const TriggerOptions& options, Trigger::Handler handler, void* context);

// While there is one, the signal of the triggers does not come to this thread.
class NoSamples {
public:
  NoSamples();
  ~NoSamples();
  NoSamples(const NoSamples&) = delete;
  NoSamples& operator=(const NoSamples&) = delete;

private:
  sigset_t before_{};
};
// For a thread that is never sampled.
void block_samples();

} // namespace sourir::profiler
