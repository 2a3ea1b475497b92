// Which labels of which versions the exits of a program name. What is named is frozen: no pass
// rewrites it, and analyses of it begin at these labels too (soundness.md, "Who may be rewritten").
#pragma once

#include "sourir/syntax/ast.h"

#include <unordered_map>
#include <vector>

namespace sourir {

class ExitTargets {
public:
  explicit ExitTargets(const Program& program);

  // A frame of some exit, its own ones included, goes to the version.
  bool frozen(FunName function, VerName version) const;
  // In ascending order, each once.
  const std::vector<Label>& labels(FunName function, VerName version) const;

private:
  std::unordered_map<std::uint64_t, std::vector<Label>> labels_; // by both names
};

} // namespace sourir
