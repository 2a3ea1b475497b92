// Signals: Ctrl-C while a command works (the first one requests a stop, the second one ends the
// process), and Ctrl-C, SIGTERM and SIGHUP while the stepper runs. Any thread may read the flags.
#pragma once

#include <atomic>
#include <csignal>

namespace sourir {

// Installs the handler: from now on Ctrl-C sets the flags below.
void watch_interrupts();
// Waits until reading from the file does not block. False: Ctrl-C came, before or during the wait.
bool wait_readable(int fd);
// Set by Ctrl-C, or by request_stop().
const std::atomic<bool>& stop_requested();
void request_stop();
// Set by Ctrl-C only.
bool interrupted();

// Signals while the stepper runs. While it lives, Ctrl-C sets interrupt() instead of ending the
// process, and SIGTERM and SIGHUP set interrupt() and ending(). A blocked read returns. At most one
// at a time.
class SignalWatch {
public:
  SignalWatch();
  ~SignalWatch(); // restores the former handlers
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;

  static std::atomic<bool>& interrupt(); // the caller that starts new work clears it
  // The signal that asked the process to end; 0: none. To be raised again after the destructor.
  static int ending();

private:
  struct sigaction before_[3];
};

} // namespace sourir
