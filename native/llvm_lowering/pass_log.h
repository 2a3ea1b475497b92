// Which of LLVM's passes change a function.
#pragma once

#include "native/runtime/native_code.h"

#include <map>
#include <string>
#include <vector>

namespace llvm {
class Function;
class Module;
class PassInstrumentationCallbacks;
} // namespace llvm

namespace sourir::native {

// Of the passes that run while it exists. Two functions with equal hashes have the same code.
class PassLog {
public:
  // As the module is: its functions are the first entries.
  PassLog(llvm::Module& module, std::vector<PassChange>& changes);
  void attach(llvm::PassInstrumentationCallbacks& callbacks);

private:
  void compare_all(const std::string& pass);
  void compare(const std::string& pass, const llvm::Function& function);

  llvm::Module& module_;
  std::vector<PassChange>& changes_;
  std::map<const llvm::Function*, std::uint64_t> hashes_;
  std::uint32_t passes_ = 0;
};

} // namespace sourir::native
