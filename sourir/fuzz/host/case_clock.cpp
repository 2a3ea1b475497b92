#include "sourir/fuzz/host/case_clock.h"

#include <unistd.h>

#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>

namespace sourir {

namespace {

using Clock = std::chrono::steady_clock;

std::int64_t now() { return Clock::now().time_since_epoch().count(); }

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

struct Activity {
  std::int64_t processor = 0; // nanoseconds
  bool can_run = false;       // some thread runs, or would if a processor were free
};

// Adds the process and the processes that it began and that still exist (passes of the user's).
void add(Activity& all, pid_t pid) {
  all.processor += processor_time(pid);
  std::error_code error;
  const auto tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    std::string line;
    std::getline(std::ifstream(task.path() / "stat"), line);
    const std::size_t name_end = line.rfind(") "); // its state follows
    all.can_run |= name_end != std::string::npos && line.compare(name_end + 2, 1, "R") == 0;
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

bool CaseClock::over(const Process& process, std::uint64_t seconds) const {
  const std::chrono::seconds limit(seconds);
  if (Clock::duration(now() - since_.load()) <= limit) return false;
  Activity all;
  add(all, process.pid());
  return std::chrono::nanoseconds(all.processor - processor_.load()) > limit || !all.can_run;
}

} // namespace sourir
