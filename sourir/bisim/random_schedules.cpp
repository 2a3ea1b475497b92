#include "sourir/bisim/random_schedules.h"

#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/semantics/schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace sourir {
namespace {

std::vector<std::string> pairs(std::uint64_t opportunities, std::uint64_t& random) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> chosen;
  if (opportunities < 2) return {};
  if (opportunities <= kAllPairs)
    for (std::uint64_t a = 1; a < opportunities; ++a)
      for (std::uint64_t b = a + 1; b <= opportunities; ++b) chosen.emplace(a, b);
  while (opportunities > kAllPairs && chosen.size() < kAllSingleExits) {
    const std::uint64_t a = 1 + next_random(random) % opportunities;
    const std::uint64_t b = 1 + next_random(random) % opportunities;
    if (a != b) chosen.emplace(std::min(a, b), std::max(a, b));
  }
  std::vector<std::string> runs;
  for (const auto& [a, b] : chosen) runs.push_back(fmt::format("at:{},{}", a, b));
  return runs;
}

// Of 1 to `all`.
std::set<std::uint64_t> some_of(std::uint64_t all, std::uint64_t most, std::uint64_t& random) {
  std::set<std::uint64_t> numbers;
  while (numbers.size() < std::min(all, most))
    numbers.insert(all <= most ? numbers.size() + 1 : 1 + next_random(random) % all);
  return numbers;
}

} // namespace

std::vector<std::string> single_exits(std::uint64_t opportunities, std::uint64_t most,
                                      std::uint64_t& random) {
  std::vector<std::string> runs;
  for (const std::uint64_t n : some_of(opportunities, most, random))
    runs.push_back(fmt::format("at:{}", n));
  return runs;
}

std::optional<std::string> mapped_exits(std::uint64_t steps, std::uint64_t most,
                                        std::uint64_t& random) {
  const std::set<std::uint64_t> numbers = some_of(steps, most, random);
  if (numbers.empty()) return std::nullopt;
  return fmt::format("map:at:{}", fmt::join(numbers, ","));
}

std::vector<std::string> runs_of(const std::string& deopt, std::uint64_t opportunities,
                                 std::uint64_t& random) {
  const auto [exits, watch] = split_watch(deopt);
  std::vector<std::string> runs;
  if (exits == "each")
    runs = single_exits(opportunities, kAllSingleExits, random);
  else if (exits == "pairs")
    runs = pairs(opportunities, random);
  else
    return {deopt};
  for (std::string& run : runs) run += watch;
  return runs;
}

} // namespace sourir
