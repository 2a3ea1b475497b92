#include "sourir/bisim/random_schedules.h"

#include "sourir/bisim/generate/choice_sequence.h"
#include "sourir/semantics/schedule.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>

namespace sourir {
namespace {

std::vector<std::string> pairs(const Opportunities& opportunities, std::uint64_t& random) {
  std::set<std::pair<std::uint64_t, std::uint64_t>> chosen;
  const bool all = opportunities.count() <= kAllPairs;
  const auto some = opportunities.choose(all ? kAllPairs : kSomePairs, random);
  for (const std::uint64_t a : some)
    for (const std::uint64_t b : some)
      if (a < b) chosen.emplace(a, b);
  while (!all && chosen.size() < kAllSingleExits) {
    const std::uint64_t a = 1 + next_random(random) % opportunities.count();
    const std::uint64_t b = 1 + next_random(random) % opportunities.count();
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

std::vector<std::string> single_exits(const std::vector<std::uint64_t>& numbers) {
  std::vector<std::string> runs;
  for (const std::uint64_t n : numbers) runs.push_back(fmt::format("at:{}", n));
  return runs;
}

std::optional<std::string> mapped_exits(std::uint64_t steps, std::uint64_t most,
                                        std::uint64_t& random) {
  const std::set<std::uint64_t> numbers = some_of(steps, most, random);
  if (numbers.empty()) return std::nullopt;
  return fmt::format("map:at:{}", fmt::join(numbers, ","));
}

std::vector<std::string> runs_of(const std::string& deopt, const Opportunities& opportunities,
                                 std::uint64_t& random) {
  const auto [exits, watch] = split_watch(deopt);
  std::vector<std::string> runs;
  if (exits == "each")
    runs = single_exits(opportunities.choose_of_every_place(kAllSingleExits, random));
  else if (exits == "pairs")
    runs = pairs(opportunities, random);
  else
    return {deopt};
  for (std::string& run : runs) run += watch;
  return runs;
}

} // namespace sourir
