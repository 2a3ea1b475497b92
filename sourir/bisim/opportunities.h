// The opportunities of a run: where an exit could be forced, by their place in the program.
#pragma once

#include "sourir/semantics/resolved.h"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace sourir {

class Opportunities {
public:
  // The next opportunity is there; the first one has number 1.
  void add(const ResolvedVersion* code, Pc pc);

  std::uint64_t count() const { return count_; }
  std::size_t places() const { return first_.size(); }
  void add_places(std::set<std::pair<const ResolvedVersion*, Pc>>& to) const;

  // Numbers of `most` opportunities, or of all of them if they are fewer: for one half the first
  // and the last of places drawn at random, for the other any.
  std::vector<std::uint64_t> choose(std::uint64_t most, std::uint64_t& random) const;
  // The same for `most` or the number of places, whichever is larger: the first of every place,
  // then the last of each, then any.
  std::vector<std::uint64_t> choose_of_every_place(std::uint64_t most, std::uint64_t& random) const;

private:
  // Of each place, in the order of their first opportunities.
  std::vector<std::uint64_t> first_, last_;
  std::map<std::pair<const ResolvedVersion*, Pc>, std::size_t> index_;
  std::uint64_t count_ = 0;
};

} // namespace sourir
