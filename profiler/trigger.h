// Sample triggers: sources of signals that interrupt a running program, one interface with four
// implementations, of which a run takes the first that the machine supports; and the duty cycle of
// the sampler (docs/profiler.md).
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
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
  Loop,         // no signals: native code counts back edges and returns; deterministic
};
const char* name_of(TriggerKind kind);

// Periods are in instructions; clocks assume two of them per nanosecond.
inline constexpr std::uint64_t kInstructionsPerNanosecond = 2;

// The registers of the interrupted thread; 0 where not supported.
struct Interrupted {
  std::uint64_t instruction = 0, frame = 0, stack = 0; // pointers
  // General registers: of the first argument, those that calls keep, the others.
  std::array<std::uint64_t, 15> held{};
};

// The system calls of the triggers; tests inject failing ones. Null: the real one. Errors: -1, with
// errno.
struct SystemCalls {
  int (*perf_event_open)(perf_event_attr* what, int pid, int cpu, int group,
                         unsigned long flags) = nullptr;
  int (*timer_create)(clockid_t clock, sigevent* event, timer_t* timer) = nullptr;
};

// Signals are delivered to the thread that constructs it. That thread destroys it, too, and has one
// trigger at a time.
class Trigger {
public:
  // Runs in the signal handler: it may store into allocated memory and call arm(), nothing else.
  using Handler = void (*)(void* context, const Interrupted& at);

  explicit Trigger(TriggerKind kind) : kind_(kind) {}
  virtual ~Trigger() = default;
  Trigger(const Trigger&) = delete;
  Trigger& operator=(const Trigger&) = delete;
  TriggerKind kind() const { return kind_; }
  // A signal each `period` instructions from now on; 0: none. One system call; async-signal-safe.
  virtual void arm(std::uint64_t period) = 0;

private:
  TriggerKind kind_;
};

struct TriggerOptions {
  std::optional<TriggerKind> kind; // empty: the first that works, in order
  std::uint64_t period = 500'000;  // instructions
  std::uint32_t limit = 1;         // percent of the thread's time for signals, HandlerBudget
  SystemCalls calls;
};

struct ChosenTrigger {
  std::unique_ptr<Trigger> trigger; // null: none of the allowed kinds works, or Loop
  std::optional<TriggerKind> kind;  // that of the trigger, or Loop
  std::vector<std::string> refused; // "hardware counter: No such file or directory"
  std::uint64_t signal_ns = 0;      // measured, or a high guess: what one signal takes
  std::uint64_t factor = 1;         // of the period, for the limit
  std::uint64_t shortest = 1; // a signal takes an eighth of the time between two, at any limit
};

// The processor time of this thread in nanoseconds. Async-signal-safe.
std::uint64_t thread_time();

// The trigger runs from now on, with a period at which its signals are expected to keep the limit:
// it first measures for 2 ms at most what they take. At most one per thread.
ChosenTrigger start_trigger(const TriggerOptions& options, Trigger::Handler handler, void* context);

// Blocks the signal of the triggers for the rest of this thread: for threads that are never
// sampled.
void block_samples();

// --- The share of time that signals take ---

// What one signal takes: a thread reads a clock again and again, and signals leave gaps in the
// readings. Where a signal takes longer than the period, several come in one gap and share it.
class SignalGaps {
public:
  static constexpr std::size_t kSignals = 5;
  // A reading in ns, and how many signals had come by then, counted after the reading.
  void add(std::uint64_t now, std::size_t seen) {
    // A signal that was counted after the last reading came after the one before that.
    if (seen_ > n_) {
      const std::uint64_t each = (now - before_) / (seen_ - n_);
      while (n_ < std::min(seen_, kSignals)) gaps_[n_++] = each;
    }
    before_ = readings_++ == 0 ? now : last_;
    last_ = now;
    seen_ = seen;
  }
  bool complete() const { return n_ == kSignals; }
  // Of a complete one, in ns.
  std::uint64_t median() const {
    auto sorted = gaps_;
    std::sort(sorted.begin(), sorted.end());
    return sorted[kSignals / 2];
  }

private:
  std::array<std::uint64_t, kSignals> gaps_{};
  std::size_t n_ = 0, seen_ = 0, readings_ = 0;
  std::uint64_t before_ = 0, last_ = 0;
};

// Multiplies the period by a power of two so that signals take at most a share of the thread's
// time: the factor doubles at each signal after which the share of the whole run is above the
// limit. One that adapts saves time where samples teach nothing, by longer periods, and spends it
// on shorter ones where they do; kAtFirst is allowed from the beginning. A limit above
// kMostPercent counts as kMostPercent, so that the program makes progress even if a signal takes
// five times as long as was measured (its handler is slow, the machine is busy).
class HandlerBudget {
public:
  struct Factors {
    std::uint64_t usual = 1;    // the limit is expected to hold
    std::uint64_t shortest = 1; // the program is expected to get on
  };
  static constexpr std::uint32_t kMostPercent = 50;
  static constexpr std::uint32_t kInVain = 8;  // signals that teach nothing until a period grows,
  static constexpr std::uint64_t kLongest = 8; // to so many times the usual one
  static constexpr std::uint64_t kAtFirst = 4'000'000; // ns

  // limit: in percent, 1 to 100.
  explicit HandlerBudget(std::uint32_t limit, bool adapts = false)
      : limit_(std::min(limit, kMostPercent)), adapts_(adapts) {}
  // From `now` (thread_time()) on; signal_ns: what a signal takes beside its handler.
  void begin(std::uint64_t now, std::uint64_t signal_ns, const Factors& factors) {
    began_ = now;
    signal_ns_ = signal_ns;
    factors_ = factors;
    factor_ = factors.usual;
  }
  // A handler ran between two thread times. learns: its sample was of use. True: the factor
  // changed. Async-signal-safe.
  bool after_signal(std::uint64_t from, std::uint64_t to, bool learns) {
    ++signals_;
    spent_ += signal_ns_ + (to - from);
    const std::uint64_t allowed = (to - began_) / 100 * limit_ + (adapts_ ? kAtFirst : 0);
    const std::uint64_t before = factor_;
    in_vain_ = learns ? 0 : in_vain_ + 1;
    if (spent_ > allowed)
      factor_ = std::min(2 * factor_, kMost);
    else if (adapts_)
      adapt(allowed);
    else if (spent_ < allowed / 2)
      factor_ = std::max(factor_ / 2, factors_.usual);
    return factor_ != before;
  }
  std::uint64_t factor() const { return factor_; }
  std::uint64_t signals() const { return signals_; }
  std::uint64_t spent() const { return spent_; } // ns

private:
  void adapt(std::uint64_t allowed) {
    const std::uint64_t longest = factors_.usual * kLongest;
    if (in_vain_ == 0) {
      factor_ = spent_ < allowed / 4 * 3 ? factors_.shortest : std::min(factor_, factors_.usual);
    } else if (in_vain_ % kInVain == 0 && factor_ < longest) {
      factor_ = std::max(2 * factor_, factors_.usual);
    }
  }

  static constexpr std::uint64_t kMost = std::uint64_t{1} << 32;
  const std::uint32_t limit_;
  const bool adapts_;
  Factors factors_;
  std::uint64_t began_ = 0, signal_ns_ = 0, spent_ = 0, signals_ = 0, in_vain_ = 0;
  std::uint64_t factor_ = 1;
};

// --- The duty cycle of the sampler ---

// Samples are taken all the time, or in bursts with pauses between them (thesis, 6.2.2), which grow
// while there is no activity.
struct DutyCycleSettings {
  std::uint32_t burst = 0; // samples between pauses; 0: no pauses
  std::uint32_t pause = 1; // sample periods between two bursts
  bool adaptive = false;   // doubles the pause after each burst without activity, up to kLongest
  static constexpr std::uint32_t kLongest = 64;
};

// Called by the signal handler: async-signal-safe.
class DutyCycle {
public:
  explicit DutyCycle(const DutyCycleSettings& settings)
      : settings_(settings), left_(settings.burst), pause_(settings.pause) {}

  // New code was installed, or code found stale: the next pause is the shortest. Any thread.
  void record_activity() { active_.store(true, std::memory_order_relaxed); }
  // After each sample: the periods until the next one; 0: unchanged.
  std::uint32_t after_sample() {
    if (settings_.burst == 0) return 0;
    if (left_ == settings_.burst && paused_) {
      paused_ = false;
      --left_;
      return 1;
    }
    if (left_ > 1) {
      --left_;
      return 0;
    }
    left_ = settings_.burst;
    paused_ = true;
    const bool active = active_.exchange(false, std::memory_order_relaxed);
    const std::uint32_t now = active ? settings_.pause : pause_;
    if (settings_.adaptive)
      pause_ = now * 2 > DutyCycleSettings::kLongest ? DutyCycleSettings::kLongest : now * 2;
    return now;
  }

private:
  const DutyCycleSettings settings_;
  std::uint32_t left_, pause_; // samples of this burst, periods of the next pause
  bool paused_ = false;
  std::atomic<bool> active_{false};
};

} // namespace sourir::profiler
