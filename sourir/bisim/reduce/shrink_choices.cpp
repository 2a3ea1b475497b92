#include "sourir/bisim/reduce/shrink_choices.h"

#include <algorithm>

namespace sourir {

std::vector<std::uint32_t> shrink_choices(std::vector<std::uint32_t> words, std::uint64_t tries,
                                          const ChoicesFail& fails) {
  using Words = std::vector<std::uint32_t>;
  std::uint64_t tried = 0;
  const auto accept = [&](Words candidate) {
    if (candidate == words || ++tried > tries || !fails(candidate)) return false;
    words = std::move(candidate);
    return true;
  };
  for (bool smaller = true; smaller && tried < tries;) {
    smaller = false;
    for (std::size_t size = std::max<std::size_t>(words.size() / 2, 1); size > 0; size /= 2)
      for (std::size_t end = words.size(); end > 0; end = end > size ? end - size : 0) {
        end = std::min(end, words.size());
        const std::size_t begin = end > size ? end - size : 0;
        const auto from = static_cast<std::ptrdiff_t>(begin), to = static_cast<std::ptrdiff_t>(end);
        Words without = words, zeros = words;
        without.erase(without.begin() + from, without.begin() + to);
        std::fill(zeros.begin() + from, zeros.begin() + to, 0);
        smaller |= accept(std::move(without)) || accept(std::move(zeros));
      }
  }
  return words;
}

} // namespace sourir
