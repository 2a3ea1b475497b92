// The numbers of parameters of the functions of a program: a call through a variable with too many
// arguments fails at run time; made direct, it would make the program ill-formed.
#pragma once

#include "sourir/syntax/ast.h"

#include <optional>
#include <unordered_map>

namespace sourir {

class Arities {
public:
  // The program must outlive this; it is read at the first question.
  explicit Arities(const Program& program) : program_(program) {}
  // Whether there is such a function and it takes so many arguments.
  bool fit(FunName callee, std::size_t arguments);

private:
  const Program& program_;
  std::optional<std::unordered_map<FunName, std::size_t>> of_;
};

} // namespace sourir
