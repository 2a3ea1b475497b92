#include "profiler/trigger.h"

#include <fcntl.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <mutex>

namespace sourir::profiler {

namespace {

constexpr int kSignal = SIGPROF;

// In instructions. At shorter periods than the least a program may get no further between signals.
constexpr std::uint64_t kMeasuredPeriod = 100'000, kLeastPeriod = 20'000;

struct Receiver {
  Trigger::Handler handler = nullptr;
  void* context = nullptr;
};
// Set before the first signal to this thread.
thread_local Receiver receiver;

void on_signal(int, siginfo_t*, void* context) {
  const int kept = errno;
  const Receiver to = receiver;
  if (to.handler != nullptr) {
    Interrupted at;
#ifdef __x86_64__
    const auto& registers = static_cast<const ucontext_t*>(context)->uc_mcontext.gregs;
    const auto word = [&](int which) { return static_cast<std::uint64_t>(registers[which]); };
    at = {word(REG_RIP), word(REG_RBP), word(REG_RSP), {}};
    std::size_t n = 0;
    for (const int which : {REG_RDI, REG_RBX, REG_RBP, REG_R12, REG_R13, REG_R14, REG_R15, REG_RSI,
                            REG_RAX, REG_RDX, REG_RCX, REG_R8, REG_R9, REG_R10, REG_R11})
      at.held[n++] = word(which);
#endif
    to.handler(to.context, at);
  }
  errno = kept;
}

// All signals are blocked in the handler, which is short: the collector stops threads by a signal.
// It runs on the alternate stack, as native code may be near the end of its own. It stays
// installed: a signal may be pending when a trigger ends.
void install_handler() {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action{};
    action.sa_sigaction = on_signal;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigfillset(&action.sa_mask);
    sigaction(kSignal, &action, nullptr);
  });
}

pid_t this_thread() { return static_cast<pid_t>(syscall(SYS_gettid)); }

int real_perf_event_open(perf_event_attr* what, int pid, int cpu, int group, unsigned long flags) {
  return static_cast<int>(syscall(SYS_perf_event_open, what, pid, cpu, group, flags));
}

// A counter that sends the signal at each overflow.
class PerfTrigger final : public Trigger {
public:
  PerfTrigger(TriggerKind kind, int fd) : Trigger(kind), fd_(fd) {}
  ~PerfTrigger() override {
    ioctl(fd_, PERF_EVENT_IOC_DISABLE, 0);
    close(fd_);
    receiver = {};
  }
  void arm(std::uint64_t period) override {
    if (period == 0) {
      ioctl(fd_, PERF_EVENT_IOC_DISABLE, 0);
      return;
    }
    std::uint64_t count = period;
    if (kind() == TriggerKind::TaskClock) count /= kInstructionsPerNanosecond;
    ioctl(fd_, PERF_EVENT_IOC_PERIOD, &count);
    ioctl(fd_, PERF_EVENT_IOC_ENABLE, 0);
  }

private:
  int fd_;
};

perf_event_attr event_of(TriggerKind kind) {
  perf_event_attr what{};
  what.size = sizeof what;
  const bool counter = kind == TriggerKind::Instructions;
  what.type = counter ? PERF_TYPE_HARDWARE : PERF_TYPE_SOFTWARE;
  what.config = counter ? static_cast<std::uint64_t>(PERF_COUNT_HW_INSTRUCTIONS)
                        : static_cast<std::uint64_t>(PERF_COUNT_SW_TASK_CLOCK);
  what.sample_type = PERF_SAMPLE_IP;
  what.sample_period = kMeasuredPeriod; // until arm()
  what.disabled = 1;
  what.exclude_kernel = 1; // so no system call is interrupted
  what.exclude_hv = 1;
  what.wakeup_events = 1;
  return what;
}

// With the most precise sampling that the processor supports.
int open_event(perf_event_attr& what, const SystemCalls& calls) {
  const auto open = calls.perf_event_open != nullptr ? calls.perf_event_open : real_perf_event_open;
  const unsigned most = what.type == PERF_TYPE_HARDWARE ? 3 : 0;
  for (unsigned precise = most;; --precise) {
    what.precise_ip = precise & 3U;
    const int fd = open(&what, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
    const bool too_precise = errno == EOPNOTSUPP || errno == EINVAL;
    if (fd >= 0 || precise == 0 || !too_precise) return fd;
  }
}

bool signals_this_thread(int fd) {
  const f_owner_ex owner{F_OWNER_TID, this_thread()};
  return fcntl(fd, F_SETFL, O_NONBLOCK | O_ASYNC) != -1 && fcntl(fd, F_SETSIG, kSignal) != -1 &&
         fcntl(fd, F_SETOWN_EX, &owner) != -1;
}

std::unique_ptr<Trigger> start_perf(TriggerKind kind, const TriggerOptions& options) {
  perf_event_attr what = event_of(kind);
  const int fd = open_event(what, options.calls);
  if (fd < 0) return nullptr;
  if (!signals_this_thread(fd)) {
    const int why = errno;
    close(fd);
    errno = why;
    return nullptr;
  }
  return std::make_unique<PerfTrigger>(kind, fd);
}

class TimerTrigger final : public Trigger {
public:
  explicit TimerTrigger(timer_t timer) : Trigger(TriggerKind::Timer), timer_(timer) {}
  ~TimerTrigger() override {
    timer_delete(timer_);
    receiver = {};
  }
  void arm(std::uint64_t period) override {
    constexpr std::uint64_t kSecond = 1'000'000'000;
    const std::uint64_t ns = period / kInstructionsPerNanosecond;
    itimerspec when{};
    when.it_interval.tv_sec = static_cast<time_t>(ns / kSecond);
    when.it_interval.tv_nsec = static_cast<long>(ns % kSecond);
    when.it_value = when.it_interval;
    timer_settime(timer_, 0, &when, nullptr);
  }

private:
  timer_t timer_;
};

std::unique_ptr<Trigger> start_timer(const TriggerOptions& options) {
  sigevent event{};
  event.sigev_notify = SIGEV_THREAD_ID;
  event.sigev_signo = kSignal;
  event._sigev_un._tid = this_thread();
  timer_t timer{};
  const auto create =
      options.calls.timer_create != nullptr ? options.calls.timer_create : ::timer_create;
  if (create(CLOCK_MONOTONIC, &event, &timer) != 0) return nullptr;
  return std::make_unique<TimerTrigger>(timer);
}

std::uint64_t time_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 +
         static_cast<std::uint64_t>(now.tv_nsec);
}

// Signals that come while the thread reads a clock again and again.
struct Measurement {
  static constexpr std::uint64_t kLongest = 2'000'000; // ns
  Trigger& trigger;
  std::atomic<std::size_t> seen{0};

  static void on_signal(void* context, const Interrupted&) {
    auto& self = *static_cast<Measurement*>(context);
    if (self.seen.fetch_add(1) + 1 == SignalGaps::kSignals) self.trigger.arm(0);
  }
};

// In ns. Where too few come (the thread may have waited for a processor meanwhile) it is taken to
// be large: with too small a time the limit would not hold, and a program might get no further
// between signals.
std::uint64_t measure_signal(Trigger& trigger) {
  constexpr std::uint64_t kUnmeasured = 20'000;
  Measurement measurement{trigger};
  receiver = {Measurement::on_signal, &measurement};
  SignalGaps gaps;
  const std::uint64_t began = time_of(CLOCK_MONOTONIC);
  gaps.add(began, 0);
  trigger.arm(kMeasuredPeriod);
  for (std::uint64_t now = began; !gaps.complete() && now - began < Measurement::kLongest;) {
    now = time_of(CLOCK_MONOTONIC);
    gaps.add(now, measurement.seen.load());
  }
  trigger.arm(0);
  receiver = {};
  return gaps.complete() ? gaps.median() : kUnmeasured;
}

// The least power of two by which the period is at least so long.
std::uint64_t factor_for(std::uint64_t period, std::uint64_t nanoseconds) {
  const std::uint64_t least = std::max(kLeastPeriod, nanoseconds * kInstructionsPerNanosecond);
  std::uint64_t factor = 1;
  while (period < least && period * factor < least) factor *= 2;
  return factor;
}

} // namespace

std::uint64_t thread_time() { return time_of(CLOCK_THREAD_CPUTIME_ID); }

const char* name_of(TriggerKind kind) {
  switch (kind) {
  case TriggerKind::Instructions: return "hardware counter";
  case TriggerKind::TaskClock: return "software clock";
  case TriggerKind::Timer: return "timer";
  case TriggerKind::Loop: return "loop";
  }
  return "";
}

ChosenTrigger start_trigger(const TriggerOptions& options, Trigger::Handler handler,
                            void* context) {
  ChosenTrigger chosen;
  if (options.kind == TriggerKind::Loop) {
    chosen.kind = TriggerKind::Loop;
    return chosen;
  }
  install_handler();
  for (const TriggerKind kind :
       {TriggerKind::Instructions, TriggerKind::TaskClock, TriggerKind::Timer}) {
    if (options.kind && options.kind != kind) continue;
    chosen.trigger = kind == TriggerKind::Timer ? start_timer(options) : start_perf(kind, options);
    if (chosen.trigger) {
      chosen.kind = kind;
      chosen.signal_ns = measure_signal(*chosen.trigger);
      chosen.shortest = factor_for(options.period, chosen.signal_ns * 8);
      chosen.factor = std::max(chosen.shortest,
                               factor_for(options.period, chosen.signal_ns * 100 / options.limit));
      receiver = {handler, context};
      chosen.trigger->arm(options.period * chosen.factor);
      return chosen;
    }
    chosen.refused.push_back(std::string(name_of(kind)) + ": " + std::strerror(errno));
  }
  return chosen;
}

void block_samples() {
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, kSignal);
  pthread_sigmask(SIG_BLOCK, &signals, nullptr);
}

} // namespace sourir::profiler
