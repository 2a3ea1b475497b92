// Loading of a program as every command does it: text or JSON, parsed and checked.
#pragma once

#include "sourir/syntax/text/parser.h"

#include <memory>

namespace sourir {

struct Loaded {
  Source source; // the text of the spans; for JSON input the canonical text of the program
  Program program;
  SourceMap spans;
  Diagnostics problems;
};

struct LoadOptions {
  bool check = true; // well-formedness, too
  bool strict = false;
  std::size_t max_bytes = std::size_t{1} << 28;
};

Loaded load(std::string name, std::string text, Names& names, const LoadOptions& options = {});

} // namespace sourir
