// A folder for files of one run of the tool. Threads: one.
#pragma once

#include <string>

namespace sourir {

// A new folder in TMPDIR, removed by the destructor with all that lies in it.
class TemporaryFolder {
public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  // Empty: it could not be made.
  const std::string& path() const { return path_; }

private:
  std::string path_;
};

} // namespace sourir
