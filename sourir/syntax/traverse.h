// Traversals of instructions and exits: names, variables and expressions.
#pragma once

#include "sourir/syntax/ast.h"

namespace sourir {

// --- names, in the order of the text (the same in both notations)

enum class NameRole : std::uint8_t {
  Declare,      // Var: var x, array x, call x =
  Assign,       // Var: x <- e, read x
  Update,       // Var: x in x[e] <- e
  Drop,         // Var
  Use,          // Var in an expression of the instruction
  FunRef,       // FunName: 'f in an expression
  BranchTarget, // Label
  GotoTarget,   // Label
  ExitFunction, // FunName; starts a frame of an exit
  ExitVersion,  // VerName
  ExitLabel,    // Label
  ExitResult,   // Var: x of an outer frame, a name of the target
  ExitName,     // Var: x in x = e, a name of the target
  ExitUse,      // Var in a varmap expression
  ExitFunRef,   // FunName in a varmap expression
  WithDeclare,  // Var made by the block
  WithUpdate,   // Var: x in x[e] <- e of the block
  WithUse,      // Var in an expression of the block
  WithFunRef,   // FunName in the block
};

struct NameUse {
  NameRole role;
  std::uint32_t id; // of the name type of the role
};

template <class Visit>
void for_each_name(const SimpleExpr& e, NameRole use, NameRole fun, Visit&& visit) {
  if (const auto* x = std::get_if<Var>(&e))
    visit(NameUse{use, x->id});
  else if (const auto* f = std::get_if<FunName>(&e))
    visit(NameUse{fun, f->id});
}

template <class Visit>
void for_each_name(const Expr& e, NameRole use, NameRole fun, Visit&& visit) {
  const auto simple = [&](const SimpleExpr& se) { for_each_name(se, use, fun, visit); };
  match(
      e, [&](const SimpleExpr& se) { simple(se); }, [&](const Unary& u) { simple(u.operand); },
      [&](const Binary& b) { simple(b.left), simple(b.right); },
      [&](const Index& i) { visit(NameUse{use, i.array.id}), simple(i.index); },
      [&](const Length& l) { simple(l.array); }, [&](const KindTest& k) { simple(k.operand); },
      [&](const ElementsTest& t) { simple(t.operand); });
}

template <class Visit>
void for_each_name(const Metadata& m, Visit&& visit) {
  const auto place = [&](const Place& p) {
    visit(NameUse{NameRole::ExitFunction, p.function.id});
    visit(NameUse{NameRole::ExitVersion, p.version.id});
    if (p.label) visit(NameUse{NameRole::ExitLabel, p.label->id});
  };
  const auto varmap = [&](const std::vector<Binding>& bindings) {
    for (const Binding& b : bindings) {
      visit(NameUse{NameRole::ExitName, b.name.id});
      for_each_name(b.value, NameRole::ExitUse, NameRole::ExitFunRef, visit);
    }
  };
  const auto with = [&](const Expr& e) {
    for_each_name(e, NameRole::WithUse, NameRole::WithFunRef, visit);
  };
  place(m.frame.target), varmap(m.frame.varmap);
  for (const OuterFrame& outer : m.outer) {
    place(outer.target);
    visit(NameUse{NameRole::ExitResult, outer.result.id});
    varmap(outer.varmap);
  }
  for (const Deferred& d : m.with)
    match(
        d.instr,
        [&](const Decl& i) {
          visit(NameUse{NameRole::WithDeclare, i.name.id});
          if (i.value) with(*i.value);
        },
        [&](const ArrayDecl& i) {
          visit(NameUse{NameRole::WithDeclare, i.name.id}), with(i.length);
        },
        [&](const ArrayDef& i) {
          visit(NameUse{NameRole::WithDeclare, i.name.id});
          for (const Expr& e : i.elements) with(e);
        },
        [&](const ArrayUpdate& i) {
          visit(NameUse{NameRole::WithUpdate, i.array.id}), with(i.index), with(i.value);
        });
}

template <class Visit>
void for_each_name(const Instruction& instruction, Visit&& visit) {
  using enum NameRole;
  const auto name = [&](NameRole role, auto n) { visit(NameUse{role, n.id}); };
  const auto expr = [&](const Expr& e) { for_each_name(e, Use, FunRef, visit); };
  const auto exprs = [&](const std::vector<Expr>& es) {
    for (const Expr& e : es) expr(e);
  };
  match(
      instruction,
      [&](const Decl& i) {
        name(Declare, i.name);
        if (i.value) expr(*i.value);
      },
      [&](const sourir::Drop& i) { name(NameRole::Drop, i.name); },
      [&](const sourir::Assign& i) { name(NameRole::Assign, i.name), expr(i.value); },
      [&](const ArrayDecl& i) { name(Declare, i.name), expr(i.length); },
      [&](const ArrayDef& i) { name(Declare, i.name), exprs(i.elements); },
      [&](const ArrayUpdate& i) { name(Update, i.array), expr(i.index), expr(i.value); },
      [&](const Branch& i) {
        expr(i.condition), name(BranchTarget, i.if_true), name(BranchTarget, i.if_false);
      },
      [&](const Goto& i) { name(GotoTarget, i.target); }, [&](const Print& i) { expr(i.value); },
      [&](const Read& i) { name(NameRole::Assign, i.name); },
      [&](const Assert& i) { expr(i.condition); },
      [&](const Call& i) { name(Declare, i.result), expr(i.callee), exprs(i.arguments); },
      [&](const Return& i) { expr(i.value); },
      [&](const Stop& i) {
        if (i.value) expr(*i.value);
      },
      [&](const Assume& i) { exprs(i.guards), for_each_name(i.exit, visit); },
      [&](const Anchor& i) { for_each_name(i.exit, visit); },
      [&](const GuardHint& i) { exprs(i.guards); });
}

// --- variables

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

inline bool mentions(const Expr& e, Var x) {
  bool found = false;
  for_each_variable(e, [&](Var y) { found |= x == y; });
  return found;
}

// --- expressions

// change(Expr&) for each expression of the block, then of the varmaps. Names that the block makes
// occur as variables, too.
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
  // Nothing is written through the cast: `look` receives const.
  map_expressions(const_cast<Instruction&>(instr), [&](Expr& e) { look(std::as_const(e)); });
}

} // namespace sourir
