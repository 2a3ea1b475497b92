// Maps from variables to facts, and sets of variables, as sorted vectors: for dataflow states,
// which are copied and joined often and have up to as many entries as there are variables in scope.
#pragma once

#include "sourir/syntax/ids.h"

#include <algorithm>
#include <iterator>
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
  // change(T&) returns false if nothing is left of the fact.
  template <class Change>
  void update(Change&& change) {
    std::erase_if(entries_, [&](Entry& e) { return !change(e.fact); });
  }
  // Keeps the variables in both maps: join(T&, const T&) joins their facts and returns false if
  // none is left. True if this map changed.
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
  // Union; true if this set changed.
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
