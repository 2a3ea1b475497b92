// The names of random programs, made once a case and looked up by number.
#pragma once

#include "sourir/syntax/ids.h"

#include <vector>

namespace sourir::random {

class NamePool {
public:
  // odd: some variables bear names that are words of the extensions.
  NamePool(Names& names, bool odd) : names_(names), odd_(odd) {}

  Var var(std::uint32_t k);          // a, b, .., z, a1, ..
  Label label(std::uint32_t k);      // L0, L1, ..
  FunName function(std::uint32_t k); // f0, f1, ..
  VerName version(std::uint32_t k);  // base, v1, v2, ..
  Str string(std::uint32_t k);       // k < kStrings, the empty one first
  FunName main() { return names_.intern<FunName>("main"); }
  VerName anonymous() { return names_.intern<VerName>("anon"); }
  Names& names() { return names_; }

  static constexpr std::uint32_t kStrings = 12;

private:
  Names& names_;
  bool odd_;
  std::vector<Var> vars_;
  std::vector<Label> labels_;
};

} // namespace sourir::random
