// `sourir check FILE...`
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace sourir {

struct CheckOptions {
  std::vector<std::string> files; // text or JSON; "-": standard input
  bool json = false;              // docs/schemas/diagnostics.schema.json on standard output
  bool normal_form = false;       // also where a program is not in normal form
  bool strict = false;            // varmap expressions that can fail are errors
  std::uint64_t max_errors = ~std::uint64_t{0}; // shown of a file; 0: all; this: 20, in JSON all
};

// 0; 1 if a file has errors; 66 if one cannot be read.
int run_check(const CheckOptions& options);

} // namespace sourir
