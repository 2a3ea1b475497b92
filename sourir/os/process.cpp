#include "sourir/os/process.h"

#include "sourir/os/interrupt.h"
#include "sourir/os/output.h"
#include "sourir/os/terminal.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <exception>
#include <iterator>
#include <utility>

namespace sourir {

namespace {

using Clock = std::chrono::steady_clock;

constexpr int kForkThrew = 71; // the status of a fork whose work threw
constexpr int kPollMilliseconds = 100;
constexpr std::size_t kMostErrors = 4096;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kSanitized = true; // AddressSanitizer reserves terabytes of addresses
#else
constexpr bool kSanitized = false;
#endif
constexpr rlim_t kMostMemory = rlim_t{8} << 30;

struct Pipe {
  OpenFile read, write;
  // False: it failed (errno). Programs that are started do not inherit the pipe.
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read = OpenFile(ends[0]);
    write = OpenFile(ends[1]);
    return true;
  }
};

void do_not_block(const OpenFile& file) { fcntl(file.fd(), F_SETFL, O_NONBLOCK); }

// In the fork: separates it from the files, limits and signals of its parent.
void detach(pid_t parent, int errors) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (getppid() != parent) _exit(kForkThrew); // the parent has ended already
  std::signal(SIGINT, SIG_IGN);               // the parent handles Ctrl-C
  const int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
  dup2(nothing, STDIN_FILENO);
  dup2(nothing, STDOUT_FILENO);
  if (errors >= 0) dup2(errors, STDERR_FILENO);
  const rlimit no_core{0, 0}, memory{kMostMemory, kMostMemory};
  setrlimit(RLIMIT_CORE, &no_core);
  if (!kSanitized) setrlimit(RLIMIT_AS, &memory);
}

[[noreturn]] void do_work(const std::function<void(int)>& work, int out) {
  try {
    work(out);
  } catch (const std::exception& error) {
    write_to(STDERR_FILENO, error.what());
    _exit(kForkThrew);
  }
  _exit(0); // nothing of the parent's is flushed or closed
}

// The files of a program that starts, and the pipe for the time of exec and its errno.
struct ProgramFiles {
  int input, output, errors, started; // errors: -1 keeps that of this process
  int requests, answers;              // -1: it may not serve
};

constexpr int kRequests = 3, kAnswers = 4; // as the program sees them
constexpr const char* kRequestsAndAnswers = "3,4";

// The ends of pipes may have the numbers of files 3 and 4 themselves.
void move_away(int& file) { file = fcntl(file, F_DUPFD_CLOEXEC, kAnswers + 1); }

void open_for_service(ProgramFiles& files) {
  for (int* const file : {&files.started, &files.requests, &files.answers}) move_away(*file);
  dup2(files.requests, kRequests);
  dup2(files.answers, kAnswers);
}

// This process's environment, and the variable that says that the program may serve.
std::vector<char*> environment_of(const std::string& more) {
  std::vector<char*> all;
  for (char** one = environ; *one != nullptr; ++one) all.push_back(*one);
  if (!more.empty()) all.insert(all.begin(), const_cast<char*>(more.c_str()));
  all.push_back(nullptr);
  return all;
}

// Between fork and exec: only async-signal-safe calls.
[[noreturn]] void become(char* const* words, char* const* environment, ProgramFiles files,
                         bool own_group) {
  if (own_group) setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // the parent may be a fork of a campaign, which may be killed
  for (const int signal : {SIGPIPE, SIGXFSZ, SIGINT}) std::signal(signal, SIG_DFL);
  dup2(files.input, STDIN_FILENO);
  dup2(files.output, STDOUT_FILENO);
  if (files.errors >= 0) dup2(files.errors, STDERR_FILENO);
  if (files.requests >= 0) open_for_service(files);
  const Clock::time_point now = Clock::now();
  (void)!::write(files.started, &now, sizeof now);
  execvpe(words[0], words, environment);
  const int error = errno;
  (void)!::write(files.started, &error, sizeof error);
  _exit(127);
}

// Appends what can be read now, keeping at most `most` + 1 bytes; closes a file at its end.
void drain(OpenFile& file, std::string& into, std::size_t most) {
  char buffer[1 << 16];
  while (file.fd() >= 0) {
    const ssize_t n = ::read(file.fd(), buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && errno == EAGAIN) return;
    if (n <= 0) file = OpenFile();
    if (n > 0 && into.size() <= most) into.append(buffer, static_cast<std::size_t>(n));
    if (n > 0 && into.size() > most) into.resize(most + 1);
  }
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
}

double seconds_since(Clock::time_point begin) {
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

double seconds_of_processors(pid_t process) {
  clockid_t clock{};
  timespec time{};
  if (clock_getcpuclockid(process, &clock) != 0 || clock_gettime(clock, &time) != 0) return 0;
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

ProcessEnd end_of(int status) {
  if (WIFSIGNALED(status)) return {.signal = WTERMSIG(status)};
  return {.status = WEXITSTATUS(status)};
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

std::string ProcessResult::how_it_ended() const {
  std::string text;
  switch (stop) {
  case Stop::None:
    text = end.signal != 0 ? fmt::format("was ended by signal {}", end.signal)
                           : fmt::format("exited with {}", end.status);
    break;
  case Stop::OutOfTime: text = fmt::format("took longer than {} s", limits.seconds); break;
  case Stop::Interrupted: text = "was interrupted"; break;
  case Stop::TooMuchOutput: return fmt::format("wrote more than {} bytes", limits.output);
  case Stop::NotStarted: return fmt::format("did not start: {}", std::strerror(error));
  case Stop::Answered: return "answered";
  case Stop::NotOneLine: return "answered with more than one line";
  }
  const std::string line = errors.substr(0, errors.find('\n'));
  return line.empty() ? text : text + ": " + printable(line);
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

Process::Process(const std::function<void(int)>& work) : copy_(true), begin_(Clock::now()) {
  Pipe out;
  if (!out.open()) throw NoProcess(fmt::format("no pipe can be made: {}", std::strerror(errno)));
  errors_ = OpenFile(memfd_create("errors", MFD_CLOEXEC));
  standard_output().flush();
  const pid_t parent = getpid();
  pid_ = fork();
  if (pid_ < 0) throw NoProcess(fmt::format("no process can be made: {}", std::strerror(errno)));
  if (pid_ == 0) {
    detach(parent, errors_.fd());
    do_work(work, out.write.fd());
  }
  out_ = std::move(out.read);
  do_not_block(out_);
  pidfd_ = OpenFile(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
}

Process::Process(ProgramStart program)
    : own_group_(program.own_group), input_(std::move(program.input)),
      more_input_(std::move(program.more_input)) {
  start(program);
}

void Process::start(const ProgramStart& program) {
  Pipe in, out, errors, started, requests, answers;
  const auto failed = [&] { start_error_ = errno; };
  if (!in.open() || !out.open() || !started.open()) return failed();
  if (program.keep_errors && !errors.open()) return failed();
  if (program.serves != nullptr && (!requests.open() || !answers.open())) return failed();
  const std::string may_serve =
      program.serves != nullptr ? fmt::format("{}={}", program.serves, kRequestsAndAnswers) : "";
  const std::vector<char*> environment = environment_of(may_serve);
  std::vector<char*> words;
  for (const std::string& word : program.words) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  pid_ = fork();
  if (pid_ < 0) return failed();
  if (pid_ == 0)
    become(words.data(), environment.data(),
           {in.read.fd(), out.write.fd(), errors.write.fd(), started.write.fd(), requests.read.fd(),
            answers.write.fd()},
           own_group_);
  if (own_group_) setpgid(pid_, pid_); // in both processes, so that the order does not matter
  started.write = OpenFile();
  int problem = 0;
  if (::read(started.read.fd(), &begin_, sizeof begin_) != sizeof begin_) begin_ = Clock::now();
  if (::read(started.read.fd(), &problem, sizeof problem) == sizeof problem) {
    wait();
    start_error_ = problem;
    return;
  }
  in_ = std::move(in.write);
  out_ = std::move(out.read);
  errors_ = std::move(errors.read);
  requests_ = std::move(requests.write);
  answers_ = std::move(answers.read);
  pidfd_ = OpenFile(static_cast<int>(syscall(SYS_pidfd_open, pid_, 0)));
  for (const OpenFile* const file : {&in_, &out_, &errors_, &requests_, &answers_})
    if (file->fd() >= 0) do_not_block(*file);
}

Process::~Process() {
  if (pid_ < 0) return;
  kill();
  wait();
}

Process::Process(Process&& other) noexcept { *this = std::move(other); }

Process& Process::operator=(Process&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(start_error_, other.start_error_);
  std::swap(own_group_, other.own_group_);
  std::swap(copy_, other.copy_);
  std::swap(serving_, other.serving_);
  std::swap(requests_, other.requests_);
  std::swap(answers_, other.answers_);
  std::swap(answer_, other.answer_);
  std::swap(in_, other.in_);
  std::swap(out_, other.out_);
  std::swap(errors_, other.errors_);
  std::swap(pidfd_, other.pidfd_);
  std::swap(input_, other.input_);
  std::swap(given_, other.given_);
  std::swap(more_input_, other.more_input_);
  std::swap(asked_, other.asked_);
  std::swap(begin_, other.begin_);
  return *this;
}

void Process::feed() {
  if (given_ < input_.size()) {
    const ssize_t n = ::write(in_.fd(), input_.data() + given_, input_.size() - given_);
    if (n < 0 && (errno == EAGAIN || errno == EINTR)) return;
    given_ = n < 0 ? input_.size() : given_ + static_cast<std::size_t>(n); // EPIPE is no error
  }
  if (given_ == input_.size() && !more_input_ && !serving_) in_ = OpenFile();
}

void Process::ask(ProcessResult& so_far) {
  if (in_.fd() < 0 || !more_input_ || given_ < input_.size() || asked_ > so_far.output.size())
    return;
  asked_ = so_far.output.size() + 1;
  so_far.wall = seconds_since(begin_);
  so_far.cpu = seconds_of_processors(pid_);
  auto more = more_input_(so_far);
  if (!more) more_input_ = nullptr;
  input_ = std::move(more).value_or("");
  given_ = 0;
  feed();
}

bool Process::has_ended(ProcessResult& result, int flags) {
  int status = 0;
  rusage usage{};
  pid_t found = 0;
  while ((found = wait4(pid_, &status, flags, &usage)) < 0 && errno == EINTR) {
  }
  if (found != pid_) return false;
  pid_ = -1;
  result.wall = seconds_since(begin_);
  result.cpu = seconds(usage.ru_utime) + seconds(usage.ru_stime);
  result.memory = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
  result.end = end_of(status);
  return true;
}

void Process::take_answer(ProcessResult& result) {
  using Stop = ProcessResult::Stop;
  drain(answers_, answer_, result.limits.output);
  const std::size_t end = answer_.find('\n');
  if (answer_.size() > result.limits.output) result.stop = Stop::TooMuchOutput;
  if (end == std::string::npos || result.stop != Stop::None) return;
  result.stop = end + 1 == answer_.size() ? Stop::Answered : Stop::NotOneLine;
  answer_.resize(end);
  result.answer = std::exchange(answer_, {});
  result.wall = seconds_since(begin_);
}

ProcessResult Process::request(std::string line, const ProcessLimits& limits) {
  drain(answers_, answer_, limits.output);
  if (!answer_.empty()) {
    kill();
    ProcessResult result{.stop = ProcessResult::Stop::NotOneLine, .limits = limits};
    if (pid_ >= 0) has_ended(result, 0);
    return result;
  }
  begin_ = Clock::now();
  if (!std::exchange(serving_, true)) in_ = std::move(requests_);
  input_ = std::move(line) + "\n";
  given_ = 0;
  feed();
  return run(limits);
}

// Until the process ends or answers; its output may stay open longer, in processes that it started.
ProcessResult Process::run(const ProcessLimits& limits,
                           const std::function<void(const std::string&)>& wrote) {
  using Stop = ProcessResult::Stop;
  ProcessResult result{.error = start_error_, .limits = limits};
  if (pid_ < 0) return result;
  result.stop = Stop::None;
  OpenFile none;
  OpenFile& errors = copy_ ? none : errors_;
  const auto take = [&] {
    const std::size_t before = result.output.size();
    drain(out_, result.output, limits.output);
    drain(errors, result.errors, kMostErrors);
    if (wrote && result.output.size() > before) wrote(result.output);
  };
  bool ended = false;
  if (given_ == input_.size()) feed();
  ask(result);
  while (!ended && result.stop == Stop::None) {
    pollfd files[] = {{out_.fd(), POLLIN, 0},
                      {errors.fd(), POLLIN, 0},
                      {answers_.fd(), POLLIN, 0},
                      {pidfd_.fd(), POLLIN, 0},
                      {given_ < input_.size() ? in_.fd() : -1, POLLOUT, 0}};
    poll(files, std::size(files), pidfd_.fd() >= 0 ? kPollMilliseconds : 1);
    ended = has_ended(result, WNOHANG);
    if (!ended && in_.fd() >= 0) feed();
    take();
    if (!ended) ask(result);
    if (limits.output_must_fit && result.output.size() > limits.output)
      result.stop = Stop::TooMuchOutput;
    if (answers_.fd() >= 0) take_answer(result);
    if (ended || result.stop == Stop::Answered) break;
    if (limits.seconds > 0 && seconds_since(begin_) > limits.seconds) result.stop = Stop::OutOfTime;
    if (interrupted()) result.stop = Stop::Interrupted;
  }
  if (!ended && result.stop != Stop::Answered) {
    kill();
    has_ended(result, 0);
    take();
  }
  if (result.output.size() > limits.output) result.output.resize(limits.output);
  if (copy_) result.errors = this->errors();
  // A program of the same group may get Ctrl-C before this process does.
  if (!copy_ && !own_group_ && result.stop == Stop::None && result.end.signal == SIGINT)
    result.stop = Stop::Interrupted;
  return result;
}

bool Process::read_into(std::string& text) {
  drain(out_, text, ~std::size_t{0} - 1);
  return out_.fd() >= 0;
}

void Process::kill() {
  if (pid_ >= 0) ::kill(own_group_ ? -pid_ : pid_, SIGKILL);
}

ProcessEnd Process::wait() {
  int status = 0;
  while (waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  pid_ = -1;
  return end_of(status);
}

std::string Process::errors() const {
  constexpr off_t kShown = 4'000;
  std::string text(kShown, '\0');
  const off_t size = lseek(errors_.fd(), 0, SEEK_END);
  const ssize_t n =
      pread(errors_.fd(), text.data(), text.size(), std::max<off_t>(size - kShown, 0));
  text.resize(static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
  return text;
}

ProcessResult run_program(ProgramStart program, const ProcessLimits& limits) {
  return Process(std::move(program)).run(limits);
}

ProcessResult run_shell(const std::string& command, std::string input,
                        const ProcessLimits& limits) {
  return run_program(
      {.words = {"/bin/sh", "-c", command}, .input = std::move(input), .own_group = true}, limits);
}

ProcessResult run_forked(const std::function<std::string()>& work, std::uint64_t seconds) {
  Process process([&](int fd) { write_to(fd, work()); });
  return process.run({.seconds = static_cast<double>(seconds)});
}

} // namespace sourir
