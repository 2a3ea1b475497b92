// Which variables of a version nothing needs. Internal to dce.
#pragma once

#include "sourir/analysis/version_analyses.h"

#include <unordered_map>
#include <unordered_set>

namespace sourir {

// What the instructions of a version do to its variables.
class VariableUses {
public:
  explicit VariableUses(VersionAnalyses& facts);

  // The variable that the instruction only computes a value for (or whose own new array it makes
  // or fills); null: it does more.
  const Var* defines(Position at) const;
  // It must stay even if nobody needs the value: it may fail.
  bool essential(Position at) const { return essential_[at] != 0; }
  bool parameter(Var x) const { return parameters_.contains(x); }
  // Every definition makes a fresh array.
  bool own_array(Var x) const { return !defined_otherwise_.contains(x); }
  const Version& version() const { return version_; }

private:
  void note(const Instruction& instr);

  const Version& version_;
  std::vector<std::uint8_t> essential_;
  std::unordered_set<Var> parameters_, defined_otherwise_;
};

struct DeadVariables {
  std::unordered_set<Var> needed;  // some use of the value remains
  std::unordered_set<Var> removed; // all that is about them goes
  // Exits that compute values of removed variables themselves.
  std::unordered_map<Position, Metadata> rebuilt;
};
// `dead`: by position, definitions that go because nobody looks at the value before the next one.
DeadVariables dead_variables(VersionAnalyses& facts, const VariableUses& uses,
                             const std::vector<std::uint8_t>& dead);

} // namespace sourir
