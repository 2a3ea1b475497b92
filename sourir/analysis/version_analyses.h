// The analyses of one version, each computed at its first use and kept. Precondition: the program
// is well-formed and outlives this object.
#pragma once

#include "sourir/analysis/cfg.h"
#include "sourir/analysis/constants.h"
#include "sourir/analysis/dominators.h"
#include "sourir/analysis/effects.h"
#include "sourir/analysis/exit_targets.h"
#include "sourir/analysis/liveness.h"
#include "sourir/analysis/loops.h"

#include <memory>
#include <optional>
#include <vector>

namespace sourir {

class VersionAnalyses {
public:
  VersionAnalyses(const Program& program, const Function& function, const Version& version,
                  const ExitTargets& targets)
      : program_(program), function_(function), version_(version), targets_(targets) {}
  VersionAnalyses(const VersionAnalyses&) = delete; // what it keeps refers to it
  VersionAnalyses& operator=(const VersionAnalyses&) = delete;

  const Program& program() const { return program_; }
  const Function& function() const { return function_; }
  const Version& version() const { return version_; }

  const Cfg& cfg();
  // By position; empty where no root reaches.
  const Scopes& scopes();
  const Dominators& dominators();
  const Dominators& post_dominators();
  const Loops& loops();
  const Liveness& liveness();
  // Facts at the beginnings of the blocks; empty: control does not come there. To continue from
  // there: replay(cfg(), constants_problem(), ...).
  const Solution<Constants>& constants();
  Constants& constants_problem();

private:
  const Program& program_;
  const Function& function_;
  const Version& version_;
  const ExitTargets& targets_;
  std::optional<Cfg> cfg_;
  std::optional<Scopes> scopes_;
  std::optional<Dominators> dominators_, post_dominators_;
  std::optional<Loops> loops_;
  std::optional<Liveness> liveness_;
  std::optional<Constants> constants_problem_;
  std::optional<Solution<Constants>> constants_;
};

// The analyses of the versions of one program, each computed at the first request and kept as long
// as the program is unchanged.

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
