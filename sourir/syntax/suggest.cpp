#include "sourir/syntax/suggest.h"

#include <algorithm>
#include <cstdint>

namespace sourir {
namespace {

constexpr std::size_t kLongestWord = 64; // longer ones are not compared: the cost is quadratic
constexpr std::size_t kCandidates = 10'000;

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t abs_difference(std::size_t a, std::size_t b) { return a > b ? a - b : b - a; }

// Letters to insert, remove, change or swap with the next one; a change of case costs half.
// Counted in halves.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = 2 * j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = 2 * i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char x = a[i - 1], y = b[j - 1];
      const std::size_t change = x == y ? 0 : lower(x) == lower(y) ? 1 : 2;
      row[j] = std::min({last[j] + 2, row[j - 1] + 2, last[j - 1] + change});
      if (i > 1 && j > 1 && x == b[j - 2] && a[i - 2] == y)
        row[j] = std::min(row[j], before[j - 2] + 2);
    }
    before.swap(last);
    last.swap(row);
  }
  return last[b.size()];
}

} // namespace

std::optional<std::string_view> closest(std::string_view wrong,
                                        const std::vector<std::string_view>& known) {
  if (wrong.empty() || wrong.size() > kLongestWord) return {};
  const std::size_t allowed = std::max<std::size_t>(1, wrong.size() / 3);
  std::optional<std::string_view> best;
  std::size_t best_distance = 2 * allowed + 1;
  std::size_t compared = 0;
  for (const std::string_view candidate : known) {
    if (candidate == wrong || abs_difference(candidate.size(), wrong.size()) > allowed) continue;
    if (++compared > kCandidates) break;
    const std::size_t distance = edit_distance(wrong, candidate);
    // A word with no letter in common is no suggestion, however short both are.
    if (distance < best_distance && distance < 2 * std::max(wrong.size(), candidate.size())) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best;
}

} // namespace sourir
