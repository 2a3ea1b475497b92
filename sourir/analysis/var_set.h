// Sets of variables as sorted vectors, for states that are copied and joined often.
#pragma once

#include "sourir/syntax/ids.h"

#include <algorithm>
#include <iterator>
#include <vector>

namespace sourir {

class VarSet {
public:
  auto begin() const { return names_.begin(); }
  auto end() const { return names_.end(); }
  std::size_t size() const { return names_.size(); }
  bool empty() const { return names_.empty(); }
  bool contains(Var x) const { return std::binary_search(names_.begin(), names_.end(), x); }
  void insert(Var x) {
    const auto at = std::lower_bound(names_.begin(), names_.end(), x);
    if (at == names_.end() || *at != x) names_.insert(at, x);
  }
  void erase(Var x) {
    const auto at = std::lower_bound(names_.begin(), names_.end(), x);
    if (at != names_.end() && *at == x) names_.erase(at);
  }
  // Union; whether something was new.
  bool join(const VarSet& other) {
    if (std::includes(names_.begin(), names_.end(), other.begin(), other.end())) return false;
    std::vector<Var> both;
    both.reserve(names_.size() + other.size());
    std::set_union(names_.begin(), names_.end(), other.begin(), other.end(),
                   std::back_inserter(both));
    names_ = std::move(both);
    return true;
  }

  friend bool operator==(const VarSet&, const VarSet&) = default;

private:
  std::vector<Var> names_;
};

} // namespace sourir
