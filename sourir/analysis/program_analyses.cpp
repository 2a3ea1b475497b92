#include "sourir/analysis/program_analyses.h"

namespace sourir {

VersionAnalyses& ProgramAnalyses::of(const Function& function, const Version& version) {
  std::unique_ptr<VersionAnalyses>& kept = versions_[&version];
  if (!kept) kept = std::make_unique<VersionAnalyses>(program_, function, version, targets_);
  return *kept;
}

const ProgramEffects& ProgramAnalyses::effects() {
  if (!effects_) effects_ = std::make_unique<ProgramEffects>(program_);
  return *effects_;
}

} // namespace sourir
