// The facts before single positions of a version; a walk in ascending order replays each block
// once.
#pragma once

#include "sourir/analysis/version_analyses.h"

namespace sourir {

class FactsAt {
public:
  // after_calls: those of VersionAnalyses::constants_after_calls().
  explicit FactsAt(VersionAnalyses& analyses, bool after_calls = false)
      : analyses_(analyses), after_calls_(after_calls) {}

  // Null: control never gets there. Valid until the next call.
  const Facts* before(Position at);

private:
  VersionAnalyses& analyses_;
  bool after_calls_;
  std::optional<BlockId> block_;
  Position at_ = 0; // the facts are those before it
  Facts facts_;
};

// Whether the predicate is known to be true, and not to fail.
bool holds(const Expr& predicate, const Facts& facts);
// Whether some predicate is known not to hold where these facts do and the ones before it hold.
bool cannot_hold(const std::vector<Expr>& predicates, Facts facts);

} // namespace sourir
