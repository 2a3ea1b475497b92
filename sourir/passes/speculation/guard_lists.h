// The guards of the exits of a version while a pass adds and removes some.
#pragma once

#include "sourir/analysis/dominating_exits.h"
#include "sourir/analysis/facts.h"
#include "sourir/passes/core/rewrite.h"

namespace sourir {

class GuardLists {
public:
  GuardLists(VersionTask& task, const DominatingExits& exits);

  const std::vector<Expr>& of(std::size_t exit) const { return lists_[exit].guards; }
  bool has(std::size_t exit, const Expr& guard) const;
  // Whether the guard cannot hold where all guards of the exit do: with it the exit would always be
  // taken.
  bool excludes(std::size_t exit, const Expr& guard);
  // Whether the guard holds wherever all guards of the exit do.
  bool imply(std::size_t exit, const Expr& guard);
  void add(std::size_t exit, const Expr& guard);
  // All occurrences.
  void remove(std::size_t exit, const Expr& guard);
  // Whether one of the exits from `nearest` up tests the guard on the same values.
  bool known(const Expr& guard, const Definitions::State& state,
             std::optional<std::size_t> nearest) const;
  // Anchors that have got guards become assumes.
  void apply();

private:
  const Facts& facts(std::size_t exit);

  struct List {
    std::vector<Expr> guards;
    bool changed = false;
    std::optional<Facts> facts = {}; // that follow from the guards; computed when first asked for
  };

  VersionTask& task_;
  const DominatingExits& exits_;
  std::vector<List> lists_; // by exit
};

} // namespace sourir
