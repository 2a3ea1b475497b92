// Facts about variables: a sorted vector, for states that are copied and joined often and hold as
// many entries as there are variables in scope.
#pragma once

#include "sourir/syntax/ids.h"

#include <algorithm>
#include <vector>

namespace sourir {

template <class T>
class VarMap {
public:
  struct Entry {
    Var name;
    T fact;
    friend bool operator==(const Entry&, const Entry&) = default;
  };

  const T* find(Var x) const {
    const auto at = lower(entries_, x);
    return at != entries_.end() && at->name == x ? &at->fact : nullptr;
  }
  void set(Var x, T fact) {
    const auto at = lower(entries_, x);
    if (at != entries_.end() && at->name == x)
      at->fact = std::move(fact);
    else
      entries_.insert(at, {x, std::move(fact)});
  }
  void erase(Var x) {
    const auto at = lower(entries_, x);
    if (at != entries_.end() && at->name == x) entries_.erase(at);
  }
  template <class Gone>
  void erase_if(Gone&& gone) {
    std::erase_if(entries_, gone);
  }
  // Keeps what both know: join(T&, const T&) says with false that nothing is left. Whether this
  // map changed.
  template <class Join>
  bool meet(const VarMap& other, Join&& join) {
    bool changed = false;
    auto there = other.entries_.begin();
    std::erase_if(entries_, [&](Entry& e) {
      while (there != other.entries_.end() && there->name < e.name) ++there;
      if (there == other.entries_.end() || there->name != e.name) return changed = true;
      const T before = e.fact;
      const bool kept = join(e.fact, there->fact);
      changed |= !kept || !(before == e.fact);
      return !kept;
    });
    return changed;
  }

  auto begin() const { return entries_.begin(); }
  auto end() const { return entries_.end(); }
  std::size_t size() const { return entries_.size(); }
  void clear() { entries_.clear(); }
  friend bool operator==(const VarMap&, const VarMap&) = default;

private:
  static auto lower(auto& entries, Var x) {
    return std::lower_bound(entries.begin(), entries.end(), x,
                            [](const Entry& e, Var y) { return e.name < y; });
  }

  std::vector<Entry> entries_;
};

} // namespace sourir
