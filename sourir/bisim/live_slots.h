// The variables that the future of a state depends on, as slots of a linked program, computed for
// a version when it is asked for first. Live ones (sourir/analysis/liveness.h), but for those that
// only go into variables that nobody needs.
#pragma once

#include "sourir/analysis/exit_targets.h"
#include "sourir/semantics/code.h"

#include <unordered_map>
#include <vector>

namespace sourir {

class LiveSlots {
public:
  explicit LiveSlots(const Program& program) : targets_(program) {}

  // What is live just before a position of the program, ascending; nothing where no root reaches.
  const std::vector<Slot>& at(const InstrStream& code, Pc pc);

private:
  ExitTargets targets_;
  std::unordered_map<const InstrStream*, std::vector<std::vector<Slot>>> versions_;
};

} // namespace sourir
