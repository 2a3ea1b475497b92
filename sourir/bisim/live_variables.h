// Which variables of a linked version are live: read later by an instruction, a guard or an exit
// before something else is put into them. Computed for a version when it is asked for first.
#pragma once

#include "sourir/semantics/code.h"

#include <unordered_map>
#include <vector>

namespace sourir {

class LiveVariables {
public:
  // The slots that are live just before a position, ascending. Any position up to the end.
  const std::vector<Slot>& at(const InstrStream& code, Pc pc);

private:
  std::unordered_map<const InstrStream*, std::vector<std::vector<Slot>>> versions_;
};

} // namespace sourir
