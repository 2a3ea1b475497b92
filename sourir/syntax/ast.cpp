#include "sourir/syntax/ast.h"

#include <algorithm>

namespace sourir {

const Version* active_version(const Function& function) {
  const auto found = std::find_if(function.versions.begin(), function.versions.end(),
                                  [](const Version& version) { return !version.cont; });
  return found == function.versions.end() ? nullptr : &*found;
}

const Version* base_version(const Function& function) {
  const auto found =
      std::find_if(function.versions.rbegin(), function.versions.rend(),
                   [](const Version& version) { return !version.cont && version.when.empty(); });
  return found == function.versions.rend() ? nullptr : &*found;
}

const Function* find_function(const Program& program, FunName name) {
  const auto found = std::find_if(program.functions.begin(), program.functions.end(),
                                  [name](const Function& f) { return f.name == name; });
  return found == program.functions.end() ? nullptr : &*found;
}

const Version* find_version(const Function& function, VerName name) {
  const auto found = std::find_if(function.versions.begin(), function.versions.end(),
                                  [name](const Version& v) { return v.name == name; });
  return found == function.versions.end() ? nullptr : &*found;
}

} // namespace sourir
