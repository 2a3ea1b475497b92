// What the `with` block of an exit makes, and which of its parts always have a value.
#pragma once

#include "sourir/syntax/metadata.h"

#include <optional>
#include <string>
#include <unordered_map>

namespace sourir {

class WithBlock {
public:
  explicit WithBlock(const std::vector<Deferred>& block);

  struct Made {
    std::size_t by;                      // number of the instruction
    bool array;                          // by `array`
    std::optional<std::uint64_t> length; // of the array, where it stands in the text
  };
  // By the first instruction that declares the name; null: none does.
  const Made* find(Var name) const;

private:
  std::unordered_map<Var, Made> made_;
};

// Why the expression may have no value ("`+` needs numbers"); empty: it visibly has one, whatever
// values the variables have.
std::optional<std::string> may_fail(const Expr& expr);
std::optional<std::string> may_fail(const DeferredInstr& instr, const WithBlock& block);

} // namespace sourir
