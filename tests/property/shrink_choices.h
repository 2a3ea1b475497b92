// The shrinking of the choice sequence of a failing case: parts are removed or set to zero, larger
// parts first; then words become smaller. The search goes on after each try and starts again only
// at its end, so a sequence of a thousand words takes some thousand fuzz cases.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <functional>
#include <vector>

namespace sourir::testing {

struct Draft {
  std::vector<std::uint32_t> words;
  std::size_t part = ~std::size_t{0}; // the size of the parts that are tried now; 0: single words
  std::size_t next = 0;               // the next fuzz case
  bool smaller = false;               // since the beginning of the iteration
};

// How many words of a choice sequence are read; the rest is cut off.
using UsedWords = std::function<std::size_t(const std::vector<std::uint32_t>&)>;

rc::Seq<Draft> smaller(Draft draft, const UsedWords& used);

} // namespace sourir::testing
