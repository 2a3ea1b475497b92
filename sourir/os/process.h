// A process that this one starts, feeds, reads, waits for and ends: a program (`exec:CMD`, `bench`,
// `reduce --check`), or a copy of this process that does one piece of work (cases of campaigns), so
// that a crash of it is its own. Threads: one at a time uses a Process; each may have its own.
#pragma once

#include "sourir/os/files.h"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

// How a process ended: by a signal, or else with an exit status.
struct ProcessEnd {
  int signal = 0, status = 0;
  bool fine() const { return signal == 0 && status == 0; }
  // From outside, probably: it says nothing about what the process did.
  bool killed() const;
  std::string text() const; // "SIGSEGV", "exit status 1"
};

// The system starts no more processes.
struct NoProcess : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ProgramStart {
  std::vector<std::string> words; // the program, by path or found in PATH, and its arguments
  std::string input = {};         // its standard input
  // Killed together with all that it started; a Ctrl-C of the terminal does not reach it. Without
  // it the program stays in our process group: what ends us from there ends it, too.
  bool own_group = false;
  bool keep_errors = false; // its standard error is kept; otherwise it is ours
};

struct ProcessLimits {
  double seconds = 0;                   // of wall time; 0: no limit
  std::size_t output = ~std::size_t{0}; // bytes; what comes after them is dropped
  bool output_must_fit = false;         // more ends the process
};

struct ProcessResult {
  enum class Stop : std::uint8_t { None, OutOfTime, Interrupted, TooMuchOutput, NotStarted };

  Stop stop = Stop::NotStarted; // why it was not left to its end
  ProcessEnd end;
  int error = 0;              // NotStarted: errno
  std::string output, errors; // what it wrote; errors: 4 KB of them
  double wall = 0, cpu = 0;   // seconds from exec (or fork) to the end; user and system time
  std::uint64_t memory = 0;   // bytes: the largest resident size
  ProcessLimits limits = {};

  bool fine() const { return stop == Stop::None && end.fine(); }
  // "exited with 67: ...", with the first line of its standard error where that was kept.
  std::string how_it_ended() const;
};

class Process {
public:
  Process() = default; // none
  // A copy of this process: `work` writes to the file that it is given, and then the copy ends. It
  // must not write to files that this process has open. Limits: 8 GiB of memory. Throws NoProcess.
  explicit Process(const std::function<void(int)>& work);
  // A program. Where it cannot be started, run() says so.
  explicit Process(ProgramStart program);
  ~Process(); // kills and waits
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;

  // To its end: feeds and reads it meanwhile. Kills it at a limit and on Ctrl-C.
  ProcessResult run(const ProcessLimits& limits);

  // Step by step, for the owner of several.
  int fd() const { return out_.fd(); } // of what it writes
  pid_t pid() const { return pid_; }
  bool read_into(std::string& text); // appends what is there by now; false at the end of the file
  void kill();
  ProcessEnd wait();
  std::string errors() const; // of a copy: the last 4 KB of its standard error

private:
  void start(const ProgramStart& program);
  void feed();
  bool has_ended(ProcessResult& result, int flags);

  pid_t pid_ = -1;
  int start_error_ = 0;
  bool own_group_ = false, copy_ = false;
  OpenFile in_, out_, errors_, pidfd_;
  std::string input_;
  std::size_t given_ = 0; // bytes of the input
  std::chrono::steady_clock::time_point begin_;
};

// Writes all of it; false if nobody reads.
bool write_to(int fd, std::string_view text);

ProcessResult run_program(ProgramStart program, const ProcessLimits& limits);
// A command of the shell; its standard error is ours.
ProcessResult run_shell(const std::string& command, std::string input, const ProcessLimits& limits);
// A copy of this process; what `work` returns is the output. Throws NoProcess.
ProcessResult run_forked(const std::function<std::string()>& work, std::uint64_t seconds = 0);

} // namespace sourir
