// The seeded bugs of this program, one of which can be switched on to see whether the checks find
// it. The product has none (no_seeded_bugs.cpp); sourir-mutants is linked with a table made from
// tests/mutants/bugs.
#pragma once

#include <span>
#include <string_view>

namespace sourir {

struct SeededBug {
  int number; // 1 to 99: of passes; 101 to 199: of engines and rules; above: of the checker
  std::string_view
      part; // the pass that it is in, with options as in --pass; or the part of native code
  std::string_view idea; // one line
};

// In ascending order of their numbers.
std::span<const SeededBug> seeded_bugs();

// 0: none. For this process, before it starts threads; false: there is no such number.
bool select_seeded_bug(int number);

} // namespace sourir
