#include "sourir/os/forked.h"

#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <exception>
#include <stdexcept>
#include <utility>

namespace sourir {

namespace {

constexpr int kThrew = 71; // the status of a process whose work threw

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true; // it reserves terabytes of addresses
#else
constexpr bool kSanitized = false;
#endif
constexpr rlim_t kMostMemory = rlim_t{8} << 30;

// What the copy must not share with the process that it comes from.
void detach(pid_t parent, int errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kThrew); // it has gone already
  std::signal(SIGINT, SIG_IGN);           // Ctrl-C is for the parent, who decides
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  if (errors >= 0) dup2(errors, STDERR_FILENO);
  const rlimit no_core{0, 0}, memory{kMostMemory, kMostMemory};
  setrlimit(RLIMIT_CORE, &no_core);
  if (!kSanitized) setrlimit(RLIMIT_AS, &memory);
}

[[noreturn]] void become(const std::function<void(int)>& work, int out) {
  try {
    work(out);
  } catch (const std::exception& error) {
    write_to(STDERR_FILENO, error.what());
    _exit(kThrew);
  }
  _exit(0); // nothing of the parent's is flushed or closed
}

} // namespace

bool ProcessEnd::killed() const {
  return signal == SIGKILL || signal == SIGTERM || signal == SIGINT || signal == SIGHUP;
}

std::string ProcessEnd::text() const {
  if (signal == 0) return fmt::format("exit status {}", status);
  const char* const name = sigabbrev_np(signal);
  return name != nullptr ? fmt::format("SIG{}", name) : fmt::format("signal {}", signal);
}

bool write_to(int fd, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(fd, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return false;
    text.remove_prefix(static_cast<std::size_t>(n));
  }
  return true;
}

Forked::Forked(const std::function<void(int)>& work) {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0)
    throw NoProcess(fmt::format("no pipe can be made: {}", std::strerror(errno)));
  out_ = OpenFile(ends[0]);
  OpenFile write_end(ends[1]);
  errors_ = OpenFile(memfd_create("errors", MFD_CLOEXEC));
  standard_output().flush();
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw NoProcess(fmt::format("no process can be made: {}", std::strerror(errno)));
  if (pid_ == 0) {
    detach(parent, errors_.fd());
    become(work, write_end.fd());
  }
  fcntl(out_.fd(), F_SETFL, O_NONBLOCK);
}

Forked::~Forked() {
  if (pid_ < 0) return;
  kill();
  wait();
}

Forked::Forked(Forked&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), out_(std::move(other.out_)),
      errors_(std::move(other.errors_)) {}

Forked& Forked::operator=(Forked&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(out_, other.out_);
  std::swap(errors_, other.errors_);
  return *this;
}

bool Forked::read_into(std::string& text) {
  char buffer[1 << 16];
  for (;;) {
    const ssize_t n = ::read(out_.fd(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return errno == EAGAIN;
    if (n == 0) return false;
    text.append(buffer, static_cast<std::size_t>(n));
  }
}

void Forked::kill() {
  if (pid_ >= 0) ::kill(pid_, SIGKILL);
}

ProcessEnd Forked::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.status = WEXITSTATUS(status)};
}

std::string Forked::errors() const {
  constexpr off_t kShown = 4'000;
  std::string text(kShown, '\0');
  const off_t size = lseek(errors_.fd(), 0, SEEK_END);
  const ssize_t n =
      pread(errors_.fd(), text.data(), text.size(), std::max<off_t>(size - kShown, 0));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  return text;
}

ForkedResult run_forked(const std::function<std::string()>& work, std::uint64_t seconds) {
  constexpr int kMilliseconds = 100;
  using Clock = std::chrono::steady_clock;
  const auto end = Clock::now() + std::chrono::seconds(seconds);
  Forked forked([&](int fd) { write_to(fd, work()); });
  ForkedResult result;
  while (forked.read_into(result.text)) {
    result.timed_out = seconds > 0 && Clock::now() > end;
    if (result.timed_out || interrupted()) {
      forked.kill();
      break;
    }
    pollfd waiting{forked.fd(), POLLIN, 0};
    poll(&waiting, 1, kMilliseconds);
  }
  result.end = forked.wait();
  result.errors = forked.errors();
  return result;
}

} // namespace sourir
