// Who calls whom by name, in the versions that calls enter.
#pragma once

#include "sourir/syntax/ast.h"

#include <unordered_map>
#include <vector>

namespace sourir {

class CallGraph {
public:
  explicit CallGraph(const Program& program);

  // Indices into the program's functions, callees before callers as far as there are no cycles.
  const std::vector<std::size_t>& callees_first() const { return order_; }
  // It may be entered again while it runs, by calls that name their callee.
  bool recursive(std::size_t function) const { return recursive_[function] != 0; }
  // Empty: there is no such function.
  std::optional<std::size_t> index(FunName function) const;

private:
  std::unordered_map<FunName, std::size_t> index_;
  std::vector<std::size_t> order_;
  std::vector<std::uint8_t> recursive_;
};

} // namespace sourir
