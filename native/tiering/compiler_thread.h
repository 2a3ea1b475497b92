// The thread that compiles while the program runs. Jobs run one at a time, in order, and must not
// throw. Threads: post() and stop(): any.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace sourir::native {

class CompilerThread {
public:
  using Job = std::function<void()>;

  // Without a thread, post() runs the job itself.
  explicit CompilerThread(bool background) : background_(background) {}
  // Waits for the running job; the others are dropped.
  ~CompilerThread();
  CompilerThread(const CompilerThread&) = delete;
  CompilerThread& operator=(const CompilerThread&) = delete;

  // The thread starts with the first job.
  void post(Job job);
  // Drops the jobs that have not begun. False: one is still running.
  bool stop();

private:
  void work();

  const bool background_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  bool over_ = false, working_ = false;
  std::thread thread_;
};

} // namespace sourir::native
