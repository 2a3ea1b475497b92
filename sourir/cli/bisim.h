// `sourir bisim`: two programs, the versions of one, or its exits, compared by what they do
// (verification.md section 2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sourir {

struct BisimOptions {
  std::vector<std::string> files; // A B, or one
  std::string map;                // states of B in terms of A
  std::string input;              // one literal a line; empty: generated
  std::string leave;              // empty: what the check says
  bool versions = false;
  std::string versions_of; // a function; empty: all
  bool transparency = false;
  std::uint64_t fuel = 1'000'000; // steps of a run
  std::uint64_t seed = 1;
  bool json = false;
};

// 0 equivalent on what was tried, 1 different, 2 inconclusive.
int run_bisim(const BisimOptions& options);

} // namespace sourir
