// Seeded bugs (docs/mutants.md), one of which can be switched on at run time, to see whether the
// checks find it. Only test builds contain any (SOURIR_MUTANTS); elsewhere
// `mutant(n)` is a constant and nothing of them is left. For .cpp files of sourir/analysis and
// sourir/passes only: headers are shared with code that is built without them.
#pragma once

#include <span>
#include <string_view>

namespace sourir {

struct MutantRow {
  int number;            // above 100: of the engines
  std::string_view pass; // which has it, with options as in --pass
  std::string_view idea; // one line
};
std::span<const MutantRow> all_mutants();

bool has_mutants(); // whether this is a build that contains them
// 0: none. For this process; false: there is no such number, or no mutant at all.
bool select_mutant(int number);

#ifdef SOURIR_MUTANTS
bool mutant(int number);
#else
constexpr bool mutant(int) { return false; }
#endif

} // namespace sourir
