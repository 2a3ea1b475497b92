// `sourir convert FILE --to=FORM`
#pragma once

#include <string>

namespace sourir {

struct ConvertOptions {
  std::string file;         // text or JSON; "-": standard input
  std::string to;           // sou, json, latex, dot; empty: what the name of `output` says
  std::string graph;        // dot: cfg (the default), versions
  std::string output = "-"; // replaced at once; "-": standard output
  bool paper = false;       // sou: the paper's notation
  bool standalone = false;  // latex: a document that compiles, not a part of one
};

int run_convert(const ConvertOptions& options);

} // namespace sourir
