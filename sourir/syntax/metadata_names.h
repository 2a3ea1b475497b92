// The variables of the origin that metadata mentions, and its block line by line. Internal to
// compose and rename.
#pragma once

#include "sourir/syntax/metadata.h"
#include "sourir/syntax/substitution.h"
#include "sourir/syntax/traverse.h"

namespace sourir {

template <class Visit>
void for_each_variable(const Expr& e, Visit&& visit) {
  for_each_name(e, NameRole::Use, NameRole::FunRef, [&](NameUse use) {
    if (use.role == NameRole::Use) visit(Var{use.id});
  });
}

// Variables of the origin, and names that the block makes; not the names of the targets.
template <class Visit>
void for_each_origin_name(const Metadata& metadata, Visit&& visit) {
  for_each_name(metadata, [&](NameUse use) {
    switch (use.role) {
    case NameRole::ExitUse:
    case NameRole::WithUse:
    case NameRole::WithUpdate:
    case NameRole::WithDeclare: visit(Var{use.id}); break;
    default: break;
    }
  });
}

// The name that a line of a block makes, or the array that it changes.
Var subject(const DeferredInstr& line);
bool makes_subject(const DeferredInstr& line);
// visit(Expr&) or visit(const Expr&) for each expression of a line, in order.
template <class Line, class Visit>
void for_each_expr(Line& line, Visit&& visit) {
  const auto one = [&](auto& i) {
    using Instr = std::decay_t<decltype(i)>;
    if constexpr (std::is_same_v<Instr, Decl>) {
      if (i.value) visit(*i.value);
    } else if constexpr (std::is_same_v<Instr, ArrayDecl>) {
      visit(i.length);
    } else if constexpr (std::is_same_v<Instr, ArrayDef>) {
      for (auto& e : i.elements) visit(e);
    } else {
      static_assert(std::is_same_v<Instr, ArrayUpdate>);
      visit(i.index), visit(i.value);
    }
  };
  std::visit(one, line);
}
// The line with its expressions substituted and `name` as its subject. Everything must fit.
DeferredInstr substitute(DeferredInstr line, Var name, const Substitution& values);

} // namespace sourir
