// How many arguments the functions of a program take. What fails at run time only, a call with too
// many say, must not become one that rejects the program. Internal to the passes.
#pragma once

#include "sourir/syntax/ast.h"

#include <optional>
#include <unordered_map>

namespace sourir {

class Arities {
public:
  // The program must outlive this, and is looked at when somebody asks first.
  explicit Arities(const Program& program) : program_(program) {}
  // Whether there is such a function and it takes so many.
  bool fit(FunName callee, std::size_t arguments);

private:
  const Program& program_;
  std::optional<std::unordered_map<FunName, std::size_t>> of_;
};

} // namespace sourir
