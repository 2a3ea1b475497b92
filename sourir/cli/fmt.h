// `sourir fmt FILE...`
#pragma once

#include <string>
#include <vector>

namespace sourir {

struct FmtOptions {
  std::vector<std::string> files; // "-": standard input
  bool check = false;             // change nothing; name the files that are not formatted
  bool diff = false;              // and show what would change
  bool in_place = false;          // rewrite the files
  bool paper = false;             // the paper's notation
  bool json = false;              // what --check and -i say, as JSON
};

// 0; 1 with --check if a file is not formatted; 65 if one has syntax errors; 66 if one cannot be
// read. A file is rewritten only if the new text was read back as the same program.
int run_fmt(const FmtOptions& options);

} // namespace sourir
