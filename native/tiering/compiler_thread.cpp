#include "native/tiering/compiler_thread.h"

#include "profiler/trigger.h"

namespace sourir::native {

CompilerThread::~CompilerThread() {
  stop();
  changed_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void CompilerThread::post(Job job, Priority priority) {
  if (!background_) return job();
  {
    const std::lock_guard lock(mutex_);
    (priority == Priority::Low ? low_jobs_ : jobs_).push_back(std::move(job));
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
  }
  changed_.notify_all();
}

bool CompilerThread::stop() {
  const std::lock_guard lock(mutex_);
  over_ = true;
  jobs_.clear();
  low_jobs_.clear();
  return !working_;
}

void CompilerThread::work() {
  profiler::block_samples();
  std::unique_lock lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return over_ || !jobs_.empty() || !low_jobs_.empty(); });
    if (over_) return;
    std::deque<Job>& from = jobs_.empty() ? low_jobs_ : jobs_;
    const Job job = std::move(from.front());
    from.pop_front();
    working_ = true;
    lock.unlock();
    job();
    lock.lock();
    working_ = false;
  }
}

} // namespace sourir::native
