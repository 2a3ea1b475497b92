#include "sourir/os/child_process.h"

#include "sourir/os/files.h"
#include "sourir/os/interrupt.h"
#include "sourir/os/pipe.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>

namespace sourir {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kMilliseconds = 200; // after so long it looks for Ctrl-C

[[noreturn]] void become(const std::string& command, int input, int output) {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // processes of campaigns are killed at times
  signal(SIGPIPE, SIG_DFL);
  signal(SIGXFSZ, SIG_DFL);
  signal(SIGINT, SIG_DFL);
  dup2(input, STDIN_FILENO);
  dup2(output, STDOUT_FILENO);
  execl("/bin/sh", "sh", "-c", command.c_str(), static_cast<char*>(nullptr));
  _exit(127);
}

class Child {
public:
  Child(const std::string& input, std::uint64_t seconds, std::size_t most)
      : input_(input), seconds_(seconds), most_(most),
        end_(Clock::now() + std::chrono::seconds(seconds)) {}

  ChildResult run(const std::string& command) {
    Pipe in, out;
    if (!in.open() || !out.open()) return fail(std::strerror(errno));
    pid_ = fork();
    if (pid_ < 0) return fail(std::strerror(errno));
    if (pid_ == 0) become(command, in.read.fd(), out.write.fd());
    setpgid(pid_, pid_); // as the child does: whoever comes first
    in.read = OpenFile();
    out.write = OpenFile();
    fcntl(in.write.fd(), F_SETFL, O_NONBLOCK);
    to_ = std::move(in.write);
    from_ = std::move(out.read);
    talk();
    finish();
    return std::move(result_);
  }

private:
  ChildResult fail(const std::string& problem) {
    result_.problem = problem;
    return std::move(result_);
  }

  // Until it closes its output, or there is a problem.
  void talk() {
    if (input_.empty()) to_ = OpenFile();
    while (in_time()) {
      pollfd files[] = {{from_.fd(), POLLIN, 0}, {to_.fd(), POLLOUT, 0}};
      const int ready = poll(files, to_.fd() >= 0 ? 2 : 1, kMilliseconds);
      if (ready < 0 && errno != EINTR) result_.problem = std::strerror(errno);
      if (ready <= 0) continue;
      if (to_.fd() >= 0 && files[1].revents != 0) give();
      if (files[0].revents != 0 && !take()) return;
    }
  }

  bool in_time() {
    if (interrupted()) result_.problem = "interrupted";
    if (Clock::now() > end_) {
      result_.problem = fmt::format("it took longer than {} s", seconds_);
      result_.out_of_time = true;
    }
    return result_.problem.empty();
  }

  void give() {
    const ssize_t n = write(to_.fd(), input_.data() + given_, input_.size() - given_);
    if (n > 0) given_ += static_cast<std::size_t>(n);
    const bool gone = n < 0 && errno != EAGAIN && errno != EINTR; // it need not read everything
    if (gone || given_ == input_.size()) to_ = OpenFile();
  }

  // False at the end.
  bool take() {
    char buffer[1 << 16];
    const ssize_t n = read(from_.fd(), buffer, sizeof buffer);
    if (n < 0) return errno == EINTR || errno == EAGAIN;
    result_.output.append(buffer, static_cast<std::size_t>(n));
    if (result_.output.size() > most_)
      result_.problem = fmt::format("it wrote more than {} bytes", most_);
    return n > 0;
  }

  void finish() {
    to_ = OpenFile();
    from_ = OpenFile();
    int status = 0;
    while (in_time() && waitpid(pid_, &status, WNOHANG) == 0)
      poll(nullptr, 0, 1); // it has closed its output: it ends soon
    if (!result_.problem.empty()) {
      kill(-pid_, SIGKILL);
      waitpid(pid_, &status, 0);
    }
    if (!result_.problem.empty()) return;
    if (WIFSIGNALED(status))
      result_.problem = fmt::format("it was ended by signal {}", WTERMSIG(status));
    else if (WEXITSTATUS(status) != 0)
      result_.problem = fmt::format("it exited with {}", WEXITSTATUS(status));
  }

  const std::string& input_;
  std::uint64_t seconds_;
  std::size_t most_, given_ = 0;
  Clock::time_point end_;
  pid_t pid_ = -1;
  OpenFile to_, from_;
  ChildResult result_;
};

} // namespace

ChildResult run_child(const std::string& command, const std::string& input, std::uint64_t seconds,
                      std::size_t most_output) {
  return Child(input, seconds, most_output).run(command);
}

} // namespace sourir
