// The labels, by version, that the exits of a program target. Such versions are frozen: a pass may
// only add labels to them, and the targeted labels are roots of their analyses (docs/soundness.md,
// "Frozen versions").
#pragma once

#include "sourir/syntax/ast.h"

#include <unordered_map>
#include <vector>

namespace sourir {

class ExitTargets {
public:
  explicit ExitTargets(const Program& program);

  // Whether a frame of some exit, one of the version itself included, targets the version.
  bool frozen(FunName function, VerName version) const;
  // In ascending order, each once.
  const std::vector<Label>& labels(FunName function, VerName version) const;

private:
  std::unordered_map<std::uint64_t, std::vector<Label>> labels_; // by both names
};

} // namespace sourir
