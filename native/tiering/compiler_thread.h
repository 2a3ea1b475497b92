// The thread that compiles while the program runs. Jobs run one at a time, in order, those of low
// priority when there are no others, and must not throw. Threads: post() and stop(): any.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sourir::native {

class CompilerThread {
public:
  using Job = std::function<void()>;
  enum class Priority : std::uint8_t { Usual, Low };

  // Without a thread, post() runs the job itself.
  explicit CompilerThread(bool background) : background_(background) {}
  // Waits for the running job; the others are dropped.
  ~CompilerThread();
  CompilerThread(const CompilerThread&) = delete;
  CompilerThread& operator=(const CompilerThread&) = delete;

  // The thread starts with the first job.
  void post(Job job, Priority priority = Priority::Usual);
  // Drops the jobs that have not begun. False: one is still running.
  bool stop();

private:
  void work();

  const bool background_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_, low_jobs_;
  bool over_ = false, working_ = false;
  std::thread thread_;
};

} // namespace sourir::native
