#include "sourir/fuzz/host/case_clock.h"

#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

namespace sourir {

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t now() { // nanoseconds
  return std::chrono::nanoseconds(Clock::now().time_since_epoch()).count();
}

std::int64_t nanoseconds(clockid_t clock) {
  timespec time{};
  if (clock_gettime(clock, &time) != 0) return 0;
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

// Of all threads of the process.
std::int64_t processor_time(pid_t pid) {
  clockid_t clock{};
  return clock_getcpuclockid(pid, &clock) == 0 ? nanoseconds(clock) : 0;
}

std::int64_t nanoseconds_in(std::uint64_t seconds) {
  return std::chrono::nanoseconds(std::chrono::seconds(seconds)).count();
}

struct Activity {
  std::int64_t processor = 0; // nanoseconds
  bool asleep = true; // no thread runs, or would if a processor were free or it were not stopped
};

constexpr std::int64_t kLook = 100'000'000;    // nanoseconds of a case before anyone looks at it
constexpr std::int64_t kPause = 2'000'000'000; // between two questions: who asks was stopped

// Adds the process and the processes that it began and that still exist (passes of the user's).
void add(Activity& all, pid_t pid) {
  all.processor += processor_time(pid);
  std::error_code error;
  const auto tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    std::string line;
    std::getline(std::ifstream(task.path() / "stat"), line);
    const std::size_t name_end = line.rfind(") "); // its state follows
    constexpr std::string_view kNotAsleep = "RTt"; // running or ready; stopped; stopped by a tracer
    if (name_end != std::string::npos && name_end + 2 < line.size())
      all.asleep &= kNotAsleep.find(line[name_end + 2]) == std::string_view::npos;
    std::ifstream children(task.path() / "children");
    for (pid_t child = 0; children >> child;) add(all, child);
  }
}

} // namespace

void CaseClock::begin_process() {
  since_ = now();
  processor_ = 0;
}

void CaseClock::begin_case() {
  Activity so_far; // passes of the user's may stay from case to case
  add(so_far, getpid());
  processor_ = so_far.processor;
  since_ = now();
}

bool CaseClock::over(const Process& process, std::uint64_t seconds) {
  const std::int64_t at = now();
  const bool paused = at - asked_ > kPause;
  asked_ = at;
  if (at - since_.load() < kLook) return false;
  Activity all;
  add(all, process.pid());
  const std::int64_t limit = nanoseconds_in(seconds);
  if (all.processor - processor_.load() > limit) return true;
  // A case that was begun since the last question has not been asleep since then.
  if (!all.asleep || paused || asleep_since_ < since_.load()) {
    asleep_since_ = at;
    return false;
  }
  return at - asleep_since_ > limit;
}

} // namespace sourir
