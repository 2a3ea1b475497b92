// `sourir opt FILE --pass=PIPELINE`
#pragma once

#include "sourir/cli/pass_setup.h"

#include <limits>
#include <string>

namespace sourir {

struct OptOptions {
  std::string file; // text or JSON; "-": standard input
  PassSetup setup;
  std::string output = "-"; // replaced at once; "-": standard output; *.json: the JSON form
  std::string state_map;    // a file for the map from the result to the input; empty: none
  std::string stats;        // empty: none; "text" or "json", on standard error
  bool list_passes = false;
  bool json = false; // the result with all that is to be said about it as JSON
  bool print_after_all = false, print_changed = false;
  bool verify_each = false;     // in lock-step with the program before
  std::string input;            // what the program reads then; empty: something generated
  std::uint64_t fuel = 100'000; // steps of a run of it
  bool check_each = false;      // well-formedness after each pass also in large programs
  bool remarks = false, time_passes = false;
  static constexpr std::uint64_t kNoLimit = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t bisect_limit = kNoLimit; // changes that are kept
};

} // namespace sourir
