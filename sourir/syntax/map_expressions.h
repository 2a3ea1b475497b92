// Changing all expressions of an instruction.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/metadata_names.h"

namespace sourir {

// change(Expr&) for each expression of the block, then of the varmaps. Names that the block makes
// are variables there, too.
template <class Change>
void map_expressions(Metadata& exit, Change&& change) {
  for (Deferred& d : exit.with) for_each_expr(d.instr, change);
  for (Binding& b : exit.frame.varmap) change(b.value);
  for (OuterFrame& outer : exit.outer)
    for (Binding& b : outer.varmap) change(b.value);
}

// In order of evaluation as far as there is one; guards and exits included.
template <class Change>
void map_expressions(Instruction& instr, Change&& change) {
  const auto all = [&](std::vector<Expr>& list) {
    for (Expr& e : list) change(e);
  };
  match(
      instr,
      [&](Decl& i) {
        if (i.value) change(*i.value);
      },
      [](Drop&) {}, [&](Assign& i) { change(i.value); }, [&](ArrayDecl& i) { change(i.length); },
      [&](ArrayDef& i) { all(i.elements); },
      [&](ArrayUpdate& i) { change(i.index), change(i.value); },
      [&](Branch& i) { change(i.condition); }, [](Goto&) {}, [&](Print& i) { change(i.value); },
      [](Read&) {}, [&](Assert& i) { change(i.condition); },
      [&](Call& i) { change(i.callee), all(i.arguments); }, [&](Return& i) { change(i.value); },
      [&](Stop& i) {
        if (i.value) change(*i.value);
      },
      [&](Assume& i) { all(i.guards), map_expressions(i.exit, change); },
      [&](Anchor& i) { map_expressions(i.exit, change); }, [&](GuardHint& i) { all(i.guards); });
}

// look(const Expr&) for the same expressions.
template <class Look>
void for_each_expression(const Instruction& instr, Look&& look) {
  // Nothing is written through the cast: `look` only sees const.
  map_expressions(const_cast<Instruction&>(instr), [&](Expr& e) { look(std::as_const(e)); });
}

} // namespace sourir
