// The number of parameters of each function of a program. A call through a variable with another
// number of arguments fails at run time; made direct, it would make the program ill-formed.
#pragma once

#include "sourir/syntax/ast.h"

#include <optional>
#include <unordered_map>

namespace sourir {

class Arities {
public:
  // The program must outlive this; the table is built by the first call of fit().
  explicit Arities(const Program& program) : program_(program) {}
  // Whether the function exists and has so many parameters.
  bool fit(FunName callee, std::size_t arguments);

private:
  const Program& program_;
  std::optional<std::unordered_map<FunName, std::size_t>> of_;
};

} // namespace sourir
