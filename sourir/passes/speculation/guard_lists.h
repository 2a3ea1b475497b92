// The guards of the exits of a version while passes add and remove some.
#pragma once

#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/speculation/dominating_exits.h"

#include <unordered_map>

namespace sourir {

class GuardLists {
public:
  GuardLists(VersionTask& task, const DominatingExits& exits);

  const std::vector<Expr>& of(std::size_t exit) const { return lists_[exit].guards; }
  bool has(std::size_t exit, const Expr& guard) const;
  void add(std::size_t exit, const Expr& guard);
  // All occurrences.
  void remove(std::size_t exit, const Expr& guard);
  // One of the exits from `nearest` up tests the same of the same values.
  bool known(const Expr& guard, const Definitions::State& state,
             std::optional<std::size_t> nearest) const;
  // Anchors that have got guards become assumes.
  void apply();

private:
  struct List {
    std::vector<Expr> guards;
    bool changed = false;
  };

  VersionTask& task_;
  const DominatingExits& exits_;
  std::vector<List> lists_; // by exit
};

} // namespace sourir
