#include "sourir/passes/core/context_option.h"

#include "sourir/syntax/contains.h"
#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/traverse.h"

namespace sourir {

std::vector<Expr> context_guards(const PassInput& input) {
  std::vector<Expr> guards;
  for (const auto& [option, text] : input.options.entries())
    if (option == kContextOption.name)
      if (const auto guard = parse_expr(text, input.names)) guards.push_back(*guard);
  return guards;
}

std::optional<Var> no_parameter(std::span<const Expr> guards, const Function& function) {
  std::optional<Var> other;
  for (const Expr& guard : guards)
    for_each_variable(guard, [&](Var x) {
      if (!contains(function.params, x)) other = x;
    });
  return other;
}

} // namespace sourir
