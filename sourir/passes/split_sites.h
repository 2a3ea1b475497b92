// Where and for what to clone code. Internal to split.
#pragma once

#include "sourir/passes/rewrite.h"

namespace sourir {

struct SplitSite {
  Position begin = 0, end = 0; // of one block; the jump at its end may be the last of them
  std::vector<Expr> tests;     // each total, none decided by what is known there
  bool call = false;           // of a variable; the tests compare it with functions that fit
};

// Which functions the calls in a program pass to the parameters of its functions, as literals.
class PassedFunctions {
public:
  explicit PassedFunctions(const Program& program);
  const std::vector<FunName>& to(FunName function, std::size_t parameter) const;

private:
  std::unordered_map<FunName, std::vector<std::vector<FunName>>> passed_;
};

// By position; no two overlap.
std::vector<SplitSite> split_sites(VersionTask& task, const PassedFunctions& passed);

} // namespace sourir
