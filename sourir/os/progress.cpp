#include "sourir/os/progress.h"

#include "sourir/os/output.h"

#include <unistd.h>

namespace sourir {

void show_progress(const std::string& text) {
  if (isatty(STDERR_FILENO) != 0) say("\r" + text + "\033[K");
}

} // namespace sourir
