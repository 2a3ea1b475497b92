#include "sourir/cli/case_clock.h"

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

// Its state is R: it runs, or would if a processor were free.
bool some_thread_can_run(pid_t pid) {
  std::error_code error;
  const auto tasks = "/proc/" + std::to_string(pid) + "/task";
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    std::string line;
    std::getline(std::ifstream(task.path() / "stat"), line);
    const std::size_t name_end = line.rfind(") ");
    if (name_end != std::string::npos && line.compare(name_end + 2, 1, "R") == 0) return true;
  }
  return false;
}

} // namespace

void CaseClock::begin_process() {
  since_ = now();
  processor_ = 0;
}

void CaseClock::begin_case() {
  processor_ = nanoseconds(CLOCK_PROCESS_CPUTIME_ID);
  since_ = now();
}

bool CaseClock::over(const Forked& process, std::uint64_t seconds) const {
  const std::chrono::seconds limit(seconds);
  if (Clock::duration(now() - since_.load()) <= limit) return false;
  const std::chrono::nanoseconds used(processor_time(process.pid()) - processor_.load());
  return used > limit || !some_thread_can_run(process.pid());
}

} // namespace sourir
