#include "sourir/syntax/metadata_names.h"

namespace sourir {
namespace {

template <class Line>
auto& name_of(Line& line) {
  return std::visit(
      [](auto& i) -> auto& {
        if constexpr (std::is_same_v<std::decay_t<decltype(i)>, ArrayUpdate>)
          return i.array;
        else
          return i.name;
      },
      line);
}

} // namespace

Var subject(const DeferredInstr& line) { return name_of(line); }

bool makes_subject(const DeferredInstr& line) { return !std::holds_alternative<ArrayUpdate>(line); }

DeferredInstr substitute(DeferredInstr line, Var name, const Substitution& values) {
  for_each_expr(line, [&](Expr& e) { e = substitute(e, values).value(); });
  name_of(line) = name;
  return line;
}

} // namespace sourir
