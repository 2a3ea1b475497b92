#include "sourir/os/temporary_folder.h"

#include <cstdlib>
#include <filesystem>

namespace sourir {

TemporaryFolder::TemporaryFolder() {
  std::error_code error;
  auto place = std::filesystem::temp_directory_path(error);
  if (error) place = "/tmp";
  std::string name = (place / "sourir-XXXXXX").string();
  if (mkdtemp(name.data()) != nullptr) path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  std::error_code error;
  if (!path_.empty()) std::filesystem::remove_all(path_, error);
}

} // namespace sourir
