#include "sourir/bisim/opportunities.h"

#include "sourir/bisim/generate/choice_sequence.h"

#include <algorithm>
#include <unordered_set>

namespace sourir {
namespace {

// Different numbers; the operations add up to `most` in all.
class Chosen {
public:
  explicit Chosen(std::uint64_t& random) : random_(random) {}

  // All of them, in their order, or some.
  void take(std::uint64_t most, std::vector<std::uint64_t> from) {
    std::erase_if(from, [&](std::uint64_t n) { return seen_.contains(n); });
    for (std::size_t i = 0; i < from.size() && numbers_.size() < most; ++i) {
      if (from.size() - i > most - numbers_.size())
        std::swap(from[i], from[i + next_random(random_) % (from.size() - i)]);
      add(from[i]);
    }
  }
  // Any of 1 to `count`, which is at least `most`.
  void fill(std::uint64_t most, std::uint64_t count) {
    for (std::uint64_t n = 1; most == count && n <= count; ++n) add(n);
    while (numbers_.size() < most) add(1 + next_random(random_) % count);
  }
  std::vector<std::uint64_t> numbers() && { return std::move(numbers_); }

private:
  void add(std::uint64_t number) {
    if (seen_.insert(number).second) numbers_.push_back(number);
  }

  std::uint64_t& random_;
  std::vector<std::uint64_t> numbers_;
  std::unordered_set<std::uint64_t> seen_;
};

} // namespace

void Opportunities::add(const ResolvedVersion* code, Pc pc) {
  ++count_;
  const auto [found, is_new] = index_.try_emplace({code, pc}, places());
  if (is_new) first_.push_back(count_), last_.push_back(count_);
  last_[found->second] = count_;
}

void Opportunities::add_places(std::set<std::pair<const ResolvedVersion*, Pc>>& to) const {
  for (const auto& [place, number] : index_) to.insert(place);
}

std::vector<std::uint64_t> Opportunities::choose(std::uint64_t most, std::uint64_t& random) const {
  most = std::min(most, count_);
  std::vector<std::uint64_t> ends = first_;
  ends.insert(ends.end(), last_.begin(), last_.end());
  Chosen chosen(random);
  chosen.take((most + 1) / 2, std::move(ends));
  chosen.fill(most, count_);
  return std::move(chosen).numbers();
}

std::vector<std::uint64_t> Opportunities::choose_of_every_place(std::uint64_t most,
                                                                std::uint64_t& random) const {
  most = std::min(std::max<std::uint64_t>(most, places()), count_);
  Chosen chosen(random);
  chosen.take(most, first_);
  chosen.take(most, last_);
  chosen.fill(most, count_);
  return std::move(chosen).numbers();
}

} // namespace sourir
