#include "sourir/analysis/program_analyses.h"

namespace sourir {

VersionAnalyses& ProgramAnalyses::of(const Function& function, const Version& version) {
  auto& of_function = versions_[static_cast<std::size_t>(&function - program_.functions.data())];
  const auto index = static_cast<std::size_t>(&version - function.versions.data());
  if (of_function.size() <= index) of_function.resize(index + 1);
  std::unique_ptr<VersionAnalyses>& kept = of_function[index];
  if (!kept) kept = std::make_unique<VersionAnalyses>(program_, function, version, targets_);
  return *kept;
}

const ProgramEffects& ProgramAnalyses::effects() {
  if (!effects_) effects_ = std::make_unique<ProgramEffects>(program_);
  return *effects_;
}

} // namespace sourir
