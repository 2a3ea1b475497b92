// Child processes with their input, output, limits and end: a program (`exec:CMD`, `bench`,
// `reduce --check`), or a fork of this process for one piece of work that may crash (cases of
// campaigns). Threads: one at a time uses a Process; each may have its own.
#pragma once

#include "sourir/os/files.h"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace sourir {

// How a process ended: by a signal, or else with an exit status.
struct ProcessEnd {
  int signal = 0, status = 0;
  bool fine() const { return signal == 0 && status == 0; }
  // By a signal that probably came from outside: no evidence about what the process did.
  bool killed() const;
  std::string text() const; // "SIGSEGV", "exit status 1"
};

// Thrown where the system starts no more processes.
struct NoProcess : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct ProcessResult;

struct ProgramStart {
  std::vector<std::string> words; // the program, by path or found in PATH, and its arguments
  std::string input = {};         // its standard input
  // Where the input depends on the output: asked for more once all before is written, and at each
  // further output. Empty: nothing yet; no value: the input ends.
  std::function<std::optional<std::string>(const ProcessResult& so_far)> more_input = {};
  // A process group of its own, which is killed as a whole and gets no Ctrl-C of the terminal.
  // Otherwise the program is in the group of this process and gets the signals of that.
  bool own_group = false;
  bool keep_errors = false; // its standard error is kept; otherwise it is that of this process
  // It may serve: answer on file 4 with one line, instead of writing its output to the end, and
  // wait for further requests on file 3, one a line. The variable of this name is "3,4" in its
  // environment; nullptr: it may not.
  const char* serves = nullptr;
};

struct ProcessLimits {
  double seconds = 0;                   // of wall time; 0: no limit
  std::size_t output = ~std::size_t{0}; // bytes; the rest is dropped
  bool output_must_fit = false;         // more ends the process
};

struct ProcessResult {
  enum class Stop : std::uint8_t {
    None,
    OutOfTime,
    Interrupted,
    TooMuchOutput,
    NotStarted,
    Answered,   // it serves: `answer` is its line, and it waits for Process::request()
    NotOneLine, // it serves and wrote more than one line for a request
  };

  Stop stop = Stop::NotStarted; // why it was killed; None: it ended by itself
  ProcessEnd end;
  int error = 0;              // NotStarted: errno
  std::string output, errors; // what it wrote; errors: the first 4 KB, of a fork the last
  std::string answer;         // Answered: its line, without the end of line
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
  // A fork of this process: `work` writes to the file that it is given, and then the fork ends. It
  // must not write to files that this process has open. Limit: 8 GiB of memory. Throws NoProcess.
  explicit Process(const std::function<void(int)>& work);
  // A program. Where it cannot be started, run() reports NotStarted.
  explicit Process(ProgramStart program);
  ~Process(); // kills and waits
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;

  // Runs it to its end, with its input and output. Kills it at a limit and on Ctrl-C.
  // wrote: called with all output so far when there is more of it; may be empty.
  ProcessResult run(const ProcessLimits& limits,
                    const std::function<void(const std::string& so_far)>& wrote = {});
  // Gives a process that has answered another request, a line without its end, and waits for the
  // answer as run() does. The limits are those of this request.
  ProcessResult request(std::string line, const ProcessLimits& limits);

  // The parts of run(), for the owner of several processes.
  int fd() const { return out_.fd(); } // the read end of its output
  pid_t pid() const { return pid_; }
  bool read_into(std::string& text); // appends what can be read now; false at the end of the file
  void kill();
  ProcessEnd wait();
  void forget() { pid_ = -1; } // in a fork of its owner: it is not ended with this object
  std::string errors() const;  // of a fork: the last 4 KB of its standard error

private:
  void start(const ProgramStart& program);
  void feed();
  void ask(ProcessResult& so_far);
  bool has_ended(ProcessResult& result, int flags);
  void take_answer(ProcessResult& result);

  pid_t pid_ = -1;
  int start_error_ = 0;
  bool own_group_ = false, copy_ = false;
  bool serving_ = false; // it has answered
  OpenFile in_, out_, errors_, pidfd_;
  OpenFile requests_, answers_; // the pipes of a process that may serve
  std::string answer_;          // what it wrote to the latter
  std::string input_;
  std::size_t given_ = 0; // bytes of the input
  std::function<std::optional<std::string>(const ProcessResult&)> more_input_;
  std::size_t asked_ = 0; // how much output there was when it was asked for input; 0: not yet
  std::chrono::steady_clock::time_point begin_;
};

// Writes all of the text; false if that fails.
bool write_to(int fd, std::string_view text);

ProcessResult run_program(ProgramStart program, const ProcessLimits& limits);
// A command of the shell; its standard error is that of this process.
ProcessResult run_shell(const std::string& command, std::string input, const ProcessLimits& limits);
// A fork of this process; the result of `work` is the output. Throws NoProcess.
ProcessResult run_forked(const std::function<std::string()>& work, std::uint64_t seconds = 0);

} // namespace sourir
