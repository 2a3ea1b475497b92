// A copy of this process that does one thing and says what came of it through a pipe, so that
// whatever happens to it happens to it alone.
#pragma once

#include "sourir/os/files.h"

#include <sys/types.h>

#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <variant>

namespace sourir {

// How a process ended: by a signal, or else with an exit status.
struct ProcessEnd {
  int signal = 0, status = 0;
  bool fine() const { return signal == 0 && status == 0; }
  // From outside, probably: it says nothing about what the process did.
  bool killed() const;
  std::string text() const; // "SIGSEGV", "exit status 1"
};

// There can be no more processes.
struct NoProcess : std::runtime_error {
  using std::runtime_error::runtime_error;
};

class Forked {
public:
  Forked() = default; // none
  // `work` writes to the file that it is given; its process ends behind it. It must not write to
  // files that this process has open. What it says on standard error is kept. Throws NoProcess.
  explicit Forked(const std::function<void(int)>& work);
  ~Forked();
  Forked(Forked&& other) noexcept;
  Forked& operator=(Forked&& other) noexcept;

  int fd() const { return out_.fd(); }
  pid_t pid() const { return pid_; }
  // Appends what is there by now. False at the end of the file.
  bool read_into(std::string& text);
  void kill();
  // Waits for its end.
  ProcessEnd wait();
  // The end of what it said on standard error.
  std::string errors() const;

private:
  pid_t pid_ = -1;
  OpenFile out_, errors_;
};

// Writes all of it; false if nobody reads.
bool write_to(int fd, std::string_view text);

// Does it in a process of its own: what it wrote, or how it ended. `seconds` 0: no limit; Ctrl-C
// ends it, too (both: killed()).
struct ForkedResult {
  std::string text, errors;
  ProcessEnd end;
  bool timed_out = false;
};
ForkedResult run_forked(const std::function<std::string()>& work, std::uint64_t seconds = 0);

} // namespace sourir
