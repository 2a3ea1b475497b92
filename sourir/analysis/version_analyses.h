// The analyses of one version, and those of the versions of a program, each computed at the first
// request and kept. The program must be well-formed, unchanged, and outlive them. One thread only.
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
  // effects: for constants_after_calls(); empty if calls may do anything.
  VersionAnalyses(const Program& program, const Function& function, const Version& version,
                  const ExitTargets& targets, Constants::EffectsOfCalls effects = {})
      : program_(program), function_(function), version_(version), targets_(targets),
        effects_(std::move(effects)) {}
  VersionAnalyses(const VersionAnalyses&) = delete; // its analyses refer to it
  VersionAnalyses& operator=(const VersionAnalyses&) = delete;

  const Program& program() const { return program_; }
  const Function& function() const { return function_; }
  const Version& version() const { return version_; }

  const Cfg& cfg();
  // By position; empty where unreachable.
  const Scopes& scopes();
  const Dominators& dominators();
  const Dominators& post_dominators();
  const Loops& loops();
  const Liveness& liveness();
  // Facts at the beginnings of the blocks; empty: unreachable. For those at positions inside a
  // block: replay(cfg(), constants_problem(), ...).
  const Solution<Constants>& constants();
  Constants& constants_problem();
  // The same, and types of elements stay known after calls that write to no array of the caller.
  // Not for dropping guards: where one tests the elements again, native code learns that their
  // storage is as it was.
  const Solution<Constants>& constants_after_calls();
  Constants& constants_after_calls_problem();

private:
  bool learns_from_calls();

  const Program& program_;
  const Function& function_;
  const Version& version_;
  const ExitTargets& targets_;
  Constants::EffectsOfCalls effects_;
  std::optional<Cfg> cfg_;
  std::optional<Scopes> scopes_;
  std::optional<Dominators> dominators_, post_dominators_;
  std::optional<Loops> loops_;
  std::optional<Liveness> liveness_;
  std::optional<Constants> constants_problem_, after_calls_problem_;
  std::optional<Solution<Constants>> constants_, after_calls_;
  std::optional<bool> learns_from_calls_;
};

class ProgramAnalyses {
public:
  // The program must also stay at its address.
  explicit ProgramAnalyses(const Program& program)
      : program_(program), targets_(program), versions_(program.functions.size()) {}

  const Program& program() const { return program_; }
  const ExitTargets& targets() const { return targets_; }
  // Precondition: both are objects of the program.
  VersionAnalyses& of(const Function& function, const Version& version);
  const ProgramEffects& effects();

private:
  const Program& program_;
  ExitTargets targets_;
  std::vector<std::vector<std::unique_ptr<VersionAnalyses>>> versions_; // as in the program
  std::unique_ptr<ProgramEffects> effects_;
};

} // namespace sourir
