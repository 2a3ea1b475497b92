// Signals while the stepper runs.
#pragma once

#include <atomic>
#include <csignal>

namespace sourir {

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
