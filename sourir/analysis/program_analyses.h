// The analyses of the versions of one program, each computed at the first request and kept as long
// as the program is unchanged.
#pragma once

#include "sourir/analysis/effects.h"
#include "sourir/analysis/version_analyses.h"

#include <memory>
#include <vector>

namespace sourir {

class ProgramAnalyses {
public:
  // The program must be well-formed and outlive this, unchanged and in its place.
  explicit ProgramAnalyses(const Program& program)
      : program_(program), targets_(program), versions_(program.functions.size()) {}

  const Program& program() const { return program_; }
  const ExitTargets& targets() const { return targets_; }
  // Both must be the program's own.
  VersionAnalyses& of(const Function& function, const Version& version);
  const ProgramEffects& effects();

private:
  const Program& program_;
  ExitTargets targets_;
  std::vector<std::vector<std::unique_ptr<VersionAnalyses>>> versions_; // as in the program
  std::unique_ptr<ProgramEffects> effects_;
};

} // namespace sourir
