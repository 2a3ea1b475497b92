// Ctrl-C: the first one asks the work to stop, the second one ends the process.
#pragma once

#include <atomic>

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

} // namespace sourir
