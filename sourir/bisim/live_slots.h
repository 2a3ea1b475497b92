// The variables that the future of a state depends on, as slots of a linked program, computed for
// a version when it is asked for first. Live ones (sourir/analysis/liveness.h), but for those that
// only go into variables that nobody needs.
#pragma once

#include "sourir/analysis/exit_targets.h"
#include "sourir/semantics/resolved.h"

#include <unordered_map>
#include <vector>

namespace sourir {

class LiveSlots {
public:
  explicit LiveSlots(const Program& program) : targets_(program) {}

  // What is live just before a position of the program, ascending; nothing where no root reaches.
  const std::vector<Slot>& at(const ResolvedVersion& code, Pc pc);

private:
  ExitTargets targets_;
  std::unordered_map<const ResolvedVersion*, std::vector<std::vector<Slot>>> versions_;
};

} // namespace sourir
