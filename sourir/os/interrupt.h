// Ctrl-C: the first one asks the work to stop, the second one ends the process.
#pragma once

#include <atomic>
#include <csignal>

namespace sourir {

// From now on Ctrl-C sets the flag.
void watch_interrupts();
// Waits until reading from the file does not block. False: Ctrl-C came, before or meanwhile.
bool wait_readable(int fd);
// Set by Ctrl-C, or by request_stop().
const std::atomic<bool>& stop_requested();
void request_stop();
// Set by Ctrl-C only.
bool interrupted();

// Signals while the stepper runs.

// While it lives, Ctrl-C sets interrupt() instead of ending the process, and SIGTERM and SIGHUP
// set interrupt() and ending(). A read that waits comes back. At most one at a time.
class SignalWatch {
public:
  SignalWatch();
  ~SignalWatch(); // restores what was before
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  static std::atomic<bool>& interrupt(); // whoever starts new work clears it
  // The signal that asked the process to end; 0: none. Raise it again once the watch is gone.
  static int ending();

private:
  struct sigaction before_[3];
};

} // namespace sourir
