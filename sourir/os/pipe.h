// A pipe to or from another process; programs that are started do not inherit it.
#pragma once

#include "sourir/os/files.h"

#include <fcntl.h>
#include <unistd.h>

namespace sourir {

struct Pipe {
  OpenFile read, write;
  // False: there is none (errno).
  bool open() {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) return false;
    read = OpenFile(ends[0]);
    write = OpenFile(ends[1]);
    return true;
  }
};

} // namespace sourir
