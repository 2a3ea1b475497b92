#include "sourir/analysis/version_analyses.h"

namespace sourir {

const Cfg& VersionAnalyses::cfg() {
  if (!cfg_) cfg_.emplace(version_, targets_.labels(function_.name, version_.name));
  return *cfg_;
}

const Scopes& VersionAnalyses::scopes() {
  if (!scopes_) scopes_ = scopes_of(program_, function_, version_);
  return *scopes_;
}

} // namespace sourir
