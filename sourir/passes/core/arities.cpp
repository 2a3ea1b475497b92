#include "sourir/passes/core/arities.h"

namespace sourir {

bool Arities::fit(FunName callee, std::size_t arguments) {
  if (!of_) {
    of_.emplace();
    for (const Function& f : program_.functions) of_->emplace(f.name, f.params.size());
  }
  const auto found = of_->find(callee);
  return found != of_->end() && found->second == arguments;
}

} // namespace sourir
