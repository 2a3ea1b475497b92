#include "sourir/os/own_path.h"

#include <filesystem>

namespace sourir {

std::string own_path() {
  std::error_code error;
  const auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  return error ? "sourir" : path.string();
}

} // namespace sourir
