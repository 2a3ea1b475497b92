// The list of seeded bugs, and which of them is switched on (mutant.h).
#pragma once

#include <span>
#include <string_view>

namespace sourir {

struct MutantRow {
  int number;            // 1 to 46: verification.md section 5; above: further ones
  std::string_view pass; // that it is in, with options as in --pass
  std::string_view idea; // one line
};
std::span<const MutantRow> all_mutants();

bool has_mutants(); // whether this is a build that contains them
// 0: none. For this process; false: there is no such number, or no mutant at all.
bool select_mutant(int number);

} // namespace sourir
