// Making the choice sequence of a failing case smaller: parts of it are taken out or become zeros,
// larger parts first; then words become smaller. Where something has been tried it goes on, and
// begins anew only at the end, so that a sequence of a thousand words takes some thousand fuzz
// cases.
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
