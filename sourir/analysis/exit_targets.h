// The labels, by version, that the exits of a program target. Such versions are frozen: a pass may
// only add labels to them, and the targeted labels are roots of their analyses (docs/soundness.md,
// "Frozen versions").
#pragma once

#include "sourir/syntax/ast.h"

#include <unordered_map>
#include <unordered_set>
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

// The functions that an exit of another function leads into, as an exit of inlined code does: their
// code must stay equivalent to what it was inlined as.
std::unordered_set<FunName> entered_by_exits_of_others(const Program& program);

} // namespace sourir
