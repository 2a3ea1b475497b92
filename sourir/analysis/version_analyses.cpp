#include "sourir/analysis/version_analyses.h"

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

} // namespace sourir
