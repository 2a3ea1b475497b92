#include "sourir/os/measured_process.h"

#include "sourir/os/files.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/pipe.h"
#include "sourir/os/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace sourir {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kLookForCtrlC = 200; // milliseconds
constexpr std::size_t kMostOutput = std::size_t{1} << 20, kMostErrors = 4096, kMostInput = 4096;

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

// Signals as a program expects them. It stays in our process group: what ends us from there, such
// as Ctrl-C or `timeout`, ends it too.
class SpawnSettings {
public:
  SpawnSettings(int input, int output, int errors) {
    posix_spawn_file_actions_init(&files_);
    posix_spawn_file_actions_adddup2(&files_, input, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&files_, errors, STDERR_FILENO);
    posix_spawnattr_init(&attributes_);
    sigset_t defaults;
    sigemptyset(&defaults);
    for (const int signal : {SIGPIPE, SIGXFSZ, SIGINT}) sigaddset(&defaults, signal);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGDEF);
  }
  ~SpawnSettings() {
    posix_spawn_file_actions_destroy(&files_);
    posix_spawnattr_destroy(&attributes_);
  }
  SpawnSettings(const SpawnSettings&) = delete;
  SpawnSettings& operator=(const SpawnSettings&) = delete;

  // 0, or what went wrong.
  int spawn(const std::vector<std::string>& words, pid_t& pid) const {
    std::vector<char*> arguments;
    arguments.reserve(words.size() + 1);
    for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
    arguments.push_back(nullptr);
    return posix_spawnp(&pid, arguments[0], &files_, &attributes_, arguments.data(), environ);
  }

private:
  posix_spawn_file_actions_t files_;
  posix_spawnattr_t attributes_;
};

class Measurement {
public:
  Measurement(const std::vector<std::string>& words, const std::string& input, double most)
      : words_(words), input_(input), most_(most) {}

  MeasuredProcess run() {
    if (!start()) return std::move(result_);
    while (!ended_ && result_.end == MeasuredProcess::End::NotStarted) wait_for_news();
    if (!ended_) kill(pid_, SIGKILL);
    finish();
    return std::move(result_);
  }

private:
  using End = MeasuredProcess::End;

  bool start() {
    Pipe in, out, errors;
    if (!in.open() || !out.open() || !errors.open()) return failed(errno);
    // A page fits into an empty pipe: nobody has to wait.
    if (input_.size() > kMostInput) return failed(E2BIG);
    if (::write(in.write.fd(), input_.data(), input_.size()) < 0) return failed(errno);
    in.write = OpenFile();
    const SpawnSettings settings(in.read.fd(), out.write.fd(), errors.write.fd());
    begin_ = Clock::now();
    if (const int problem = settings.spawn(words_, pid_)) return failed(problem);
    pidfd_ = OpenFile(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
    output_ = std::move(out.read);
    errors_ = std::move(errors.read);
    fcntl(output_.fd(), F_SETFL, O_NONBLOCK);
    fcntl(errors_.fd(), F_SETFL, O_NONBLOCK);
    return true;
  }

  bool failed(int problem) {
    result_.status = problem;
    return false;
  }

  // Its end ends the measurement, not that of its output: whom it started may keep that open.
  void wait_for_news() {
    pollfd files[] = {
        {output_.fd(), POLLIN, 0}, {errors_.fd(), POLLIN, 0}, {pidfd_.fd(), POLLIN, 0}};
    poll(files, 3, pidfd_.fd() >= 0 ? kLookForCtrlC : 1);
    rusage usage{};
    if (wait4(pid_, &status_, WNOHANG, &usage) == pid_) keep(usage);
    if (files[0].revents != 0) take(output_, result_.output, kMostOutput);
    if (files[1].revents != 0) take(errors_, result_.errors, kMostErrors);
    if (ended_) return;
    if (interrupted()) result_.end = End::Interrupted;
    if (seconds_since(begin_) > most_) result_.end = End::OutOfTime;
  }

  void keep(const rusage& usage) {
    ended_ = true;
    result_.wall = seconds_since(begin_);
    result_.cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    result_.memory = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  }

  // What can be read now; a file that is at its end is closed.
  static void take(OpenFile& file, std::string& into, std::size_t most) {
    char buffer[1 << 14];
    while (file.fd() >= 0) {
      const ssize_t n = ::read(file.fd(), buffer, sizeof buffer);
      if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
      if (n <= 0) file = OpenFile();
      if (n > 0 && into.size() < most)
        into.append(buffer, std::min(static_cast<std::size_t>(n), most - into.size()));
    }
  }

  void finish() {
    rusage usage{};
    if (!ended_ && wait4(pid_, &status_, 0, &usage) == pid_) keep(usage);
    take(output_, result_.output, kMostOutput);
    take(errors_, result_.errors, kMostErrors);
    if (result_.end != End::NotStarted) return;
    const bool killed = WIFSIGNALED(status_);
    result_.end = killed ? End::Killed : End::Exited;
    result_.status = killed ? WTERMSIG(status_) : WEXITSTATUS(status_);
    // It may have heard of Ctrl-C before us.
    if (killed && result_.status == SIGINT) result_.end = End::Interrupted;
  }

  const std::vector<std::string>& words_;
  const std::string& input_;
  double most_;
  pid_t pid_ = -1;
  int status_ = 0;
  bool ended_ = false;
  OpenFile pidfd_, output_, errors_;
  Clock::time_point begin_;
  MeasuredProcess result_;
};

} // namespace

std::string MeasuredProcess::how_it_ended() const {
  std::string text;
  switch (end) {
  case End::Exited: text = fmt::format("exited with {}", status); break;
  case End::Killed: text = fmt::format("was ended by signal {}", status); break;
  case End::OutOfTime: text = "took too long"; break;
  case End::Interrupted: text = "was interrupted"; break;
  case End::NotStarted: return fmt::format("did not start: {}", std::strerror(status));
  }
  const std::string line = errors.substr(0, errors.find('\n'));
  return line.empty() ? text : text + ": " + printable(line);
}

MeasuredProcess run_measured(const std::vector<std::string>& words, const std::string& input,
                             double seconds) {
  return Measurement(words, input, seconds).run();
}

} // namespace sourir
