// What is known about the versions of one program, computed when it is asked for first and kept as
// long as the program stays as it is.
#pragma once

#include "sourir/analysis/effects.h"
#include "sourir/analysis/version_analyses.h"

#include <memory>
#include <unordered_map>

namespace sourir {

class ProgramAnalyses {
public:
  // The program must be well-formed and outlive this, unchanged and in its place.
  explicit ProgramAnalyses(const Program& program) : program_(program), targets_(program) {}

  const Program& program() const { return program_; }
  const ExitTargets& targets() const { return targets_; }
  VersionAnalyses& of(const Function& function, const Version& version);
  const ProgramEffects& effects();

private:
  const Program& program_;
  ExitTargets targets_;
  std::unordered_map<const Version*, std::unique_ptr<VersionAnalyses>> versions_;
  std::unique_ptr<ProgramEffects> effects_;
};

} // namespace sourir
