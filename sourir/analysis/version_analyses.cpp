#include "sourir/analysis/version_analyses.h"

#include <algorithm>

namespace sourir {

const Cfg& VersionAnalyses::cfg() {
  if (!cfg_) cfg_.emplace(version_, targets_.labels(function_.name, version_.name));
  return *cfg_;
}

const Scopes& VersionAnalyses::scopes() {
  if (scopes_) return *scopes_;
  if (targets_.labels(function_.name, version_.name).empty())
    scopes_ = scopes_of(function_, version_, nullptr);
  else
    scopes_ = scopes_of(program_, function_, version_);
  return *scopes_;
}

const Dominators& VersionAnalyses::dominators() {
  if (!dominators_) dominators_ = Dominators::of(cfg());
  return *dominators_;
}

const Dominators& VersionAnalyses::post_dominators() {
  if (!post_dominators_) post_dominators_ = Dominators::post(cfg());
  return *post_dominators_;
}

const Loops& VersionAnalyses::loops() {
  if (!loops_) loops_.emplace(cfg(), dominators());
  return *loops_;
}

const Liveness& VersionAnalyses::liveness() {
  if (!liveness_) liveness_.emplace(version_, cfg());
  return *liveness_;
}

Constants& VersionAnalyses::constants_problem() {
  if (!constants_problem_) constants_problem_.emplace(cfg(), version_);
  return *constants_problem_;
}

const Solution<Constants>& VersionAnalyses::constants() {
  if (!constants_) constants_ = solve(cfg(), constants_problem());
  return *constants_;
}

// Whether any call comes where types of elements may be known.
bool VersionAnalyses::learns_from_calls() {
  if (learns_from_calls_) return *learns_from_calls_;
  const auto tests = [](const Expr& e) { return std::holds_alternative<ElementsTest>(e); };
  bool calls = false, knows = std::ranges::any_of(version_.when, tests);
  for (const Stmt& stmt : version_.body) {
    calls |= std::holds_alternative<Call>(stmt.instr);
    if (const auto* const assume = std::get_if<Assume>(&stmt.instr))
      knows |= std::ranges::any_of(assume->guards, tests);
  }
  return *(learns_from_calls_ = effects_ && calls && knows);
}

Constants& VersionAnalyses::constants_after_calls_problem() {
  if (!learns_from_calls()) return constants_problem();
  if (!after_calls_problem_) after_calls_problem_.emplace(cfg(), version_, effects_);
  return *after_calls_problem_;
}

const Solution<Constants>& VersionAnalyses::constants_after_calls() {
  if (!learns_from_calls()) return constants();
  if (!after_calls_) after_calls_ = solve(cfg(), constants_after_calls_problem());
  return *after_calls_;
}

VersionAnalyses& ProgramAnalyses::of(const Function& function, const Version& version) {
  auto& of_function = versions_[static_cast<std::size_t>(&function - program_.functions.data())];
  const auto index = static_cast<std::size_t>(&version - function.versions.data());
  if (of_function.size() <= index) of_function.resize(index + 1);
  std::unique_ptr<VersionAnalyses>& kept = of_function[index];
  if (!kept)
    kept =
        std::make_unique<VersionAnalyses>(program_, function, version, targets_,
                                          [this]() -> const ProgramEffects& { return effects(); });
  return *kept;
}

const ProgramEffects& ProgramAnalyses::effects() {
  if (!effects_) effects_ = std::make_unique<ProgramEffects>(program_);
  return *effects_;
}

} // namespace sourir
