// The call graph: an edge for each call of a constant, and for each frame of an exit that belongs
// to another function (execution resumes there); its strongly connected components (Boost.Graph).
#pragma once

#include "sourir/syntax/ast.h"

#include <span>
#include <unordered_map>
#include <vector>

namespace sourir {

class CallGraph {
public:
  using Index = std::uint32_t; // of a function in the program

  explicit CallGraph(const Program& program);

  std::size_t size() const { return callees_.size(); }
  Index index(FunName function) const { return index_.at(function); }
  // Ascending, each once; without the callees of calls through variables or elements.
  const std::vector<Index>& callees(Index f) const { return callees_[f]; }
  // Whether it calls through a variable or an element, so possibly any function.
  bool calls_unknown(Index f) const { return unknown_[f] != 0; }
  // Strongly connected components, callees first; the functions of each ascending.
  const std::vector<std::vector<Index>>& components() const { return components_; }
  std::uint32_t component(Index f) const { return component_[f]; }
  // Whether its edges lead back to it.
  bool recursive(Index f) const;

private:
  void add_callees(const Function& function);
  void find_components();

  std::unordered_map<FunName, Index> index_;
  std::vector<std::vector<Index>> callees_;
  std::vector<std::uint8_t> unknown_;
  std::vector<std::uint32_t> component_;
  std::vector<std::vector<Index>> components_;
};

// The function that a call names; null: the callee is known at run time only.
const FunName* constant_callee(const Call& call);

} // namespace sourir
