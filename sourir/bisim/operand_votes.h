// Whether the instruction at a position does what it should with other values of the variables that
// it reads: with one value a wrong instruction may do the same by chance, as x + 2 and x * 2 if x
// is 2.
#pragma once

#include "sourir/semantics/config.h"

#include <map>
#include <vector>

namespace sourir {

// The values of the variables that the instruction reads; of an array also some elements.
std::vector<Value> operand_values(const Config& at_instr);

class OperandVotes {
public:
  // Of a run over that instruction with these operands, which agreed or differed there.
  void add(Pc pc, const std::vector<Value>& operands, bool agrees);
  // Too few different operands were tried to tell.
  bool wants_more(Pc pc) const;
  // It differs with at least two, and with more than it agrees with. One may be a state that
  // contradicts what the version relies on.
  bool disputed(Pc pc) const;

private:
  struct Tried {
    std::vector<std::vector<Value>> agreeing, differing;
  };
  std::map<Pc, Tried> tried_;
};

} // namespace sourir
