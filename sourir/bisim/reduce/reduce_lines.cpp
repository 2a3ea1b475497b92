// Simpler instructions.
#include "sourir/bisim/reduce/reduce_edits.h"

#include "sourir/syntax/traverse.h"

namespace sourir::reduce {
namespace {

bool is_simplest(const SimpleExpr& e) {
  return e == SimpleExpr(Nil{}) || e == SimpleExpr(std::int64_t{0}) || e == SimpleExpr(true);
}

// Fewer operations, then smaller literals. Ends: each is smaller in some measure.
std::vector<Expr> simpler_exprs(const Expr& e) {
  std::vector<Expr> all;
  const auto simple = [&](const SimpleExpr& s) {
    if (is_simplest(s)) return;
    if (const auto* n = std::get_if<std::int64_t>(&s)) {
      all.emplace_back(SimpleExpr(std::int64_t{0}));
      if (*n > 1 || *n < 0) all.emplace_back(SimpleExpr(std::int64_t{1}));
      if (*n > 3 || *n < -1) all.emplace_back(SimpleExpr(*n / 2));
      return;
    }
    all.emplace_back(SimpleExpr(std::int64_t{0}));
    all.emplace_back(SimpleExpr(true));
    all.emplace_back(SimpleExpr(Nil{}));
  };
  const auto literals = [&] {
    all.emplace_back(SimpleExpr(std::int64_t{0}));
    all.emplace_back(SimpleExpr(true));
    all.emplace_back(SimpleExpr(Nil{}));
  };
  const auto inside = [&](auto with, auto member) {
    std::vector<Expr> mine;
    std::swap(mine, all);
    simple(with.*member);
    std::swap(mine, all);
    for (const Expr& s : mine) {
      with.*member = std::get<SimpleExpr>(s);
      all.emplace_back(with);
    }
  };
  match(
      e, [&](const SimpleExpr& s) { simple(s); },
      [&](const Unary& u) { literals(), all.emplace_back(u.operand), inside(u, &Unary::operand); },
      [&](const Binary& b) {
        literals(), all.emplace_back(b.left), all.emplace_back(b.right);
        inside(b, &Binary::left), inside(b, &Binary::right);
      },
      [&](const Index& i) {
        literals(), all.emplace_back(SimpleExpr(i.array)), inside(i, &Index::index);
      },
      [&](const Length& l) { literals(), all.emplace_back(l.array); },
      [&](const KindTest& t) { literals(), all.emplace_back(t.operand); });
  return all;
}

template <class T>
std::vector<std::vector<T>> fewer(const std::vector<T>& list) {
  std::vector<std::vector<T>> all;
  for (std::size_t i = 0; i < list.size(); ++i) {
    all.push_back(list);
    all.back().erase(all.back().begin() + static_cast<std::ptrdiff_t>(i));
  }
  return all;
}

template <class Exit>
void simpler_exits(const Exit& instr, std::vector<Instruction>& all) {
  const auto with = [&](auto member, auto&& lists) {
    for (auto& list : lists) {
      Exit changed = instr;
      changed.exit.*member = std::move(list);
      all.emplace_back(std::move(changed));
    }
  };
  with(&Metadata::outer, fewer(instr.exit.outer));
  with(&Metadata::with, fewer(instr.exit.with));
  for (auto& varmap : fewer(instr.exit.frame.varmap)) {
    Exit changed = instr;
    changed.exit.frame.varmap = std::move(varmap);
    all.emplace_back(std::move(changed));
  }
}

// Other instructions that do less.
void replacements(const Instruction& instr, std::vector<Instruction>& all) {
  if (const auto* branch = std::get_if<Branch>(&instr)) {
    all.emplace_back(Goto{branch->if_true});
    all.emplace_back(Goto{branch->if_false});
    all.emplace_back(Return{SimpleExpr(Nil{})});
  } else if (std::holds_alternative<Goto>(instr)) {
    all.emplace_back(Return{SimpleExpr(Nil{})});
  } else if (const auto* assume = std::get_if<Assume>(&instr)) {
    for (auto& guards : fewer(assume->guards)) {
      Assume changed = *assume;
      changed.guards = std::move(guards);
      all.emplace_back(std::move(changed));
    }
    simpler_exits(*assume, all);
  } else if (const auto* anchor = std::get_if<Anchor>(&instr)) {
    simpler_exits(*anchor, all);
  } else if (const auto* hint = std::get_if<GuardHint>(&instr)) {
    if (hint->guards.size() > 1)
      for (auto& guards : fewer(hint->guards)) all.emplace_back(GuardHint{std::move(guards)});
  } else if (const auto* call = std::get_if<Call>(&instr)) {
    all.emplace_back(Decl{call->result, SimpleExpr(std::int64_t{0})});
    all.emplace_back(Decl{call->result, SimpleExpr(true)});
  } else if (const auto* def = std::get_if<ArrayDef>(&instr)) {
    for (auto& elements : fewer(def->elements))
      all.emplace_back(ArrayDef{def->name, std::move(elements)});
  } else if (const auto* made = std::get_if<ArrayDecl>(&instr)) {
    all.emplace_back(ArrayDef{made->name, {SimpleExpr(Nil{})}});
  } else if (const auto* end = std::get_if<Return>(&instr); end != nullptr) {
    if (end->value != Expr(SimpleExpr(Nil{}))) all.emplace_back(Return{SimpleExpr(Nil{})});
  }
}

} // namespace

std::vector<Instruction> simpler(const Instruction& instr) {
  std::vector<Instruction> all;
  replacements(instr, all);
  std::size_t expressions = 0;
  for_each_expression(instr, [&](const Expr&) { ++expressions; });
  for (std::size_t n = 0; n < expressions; ++n) {
    std::size_t at = 0;
    std::vector<Expr> options;
    for_each_expression(instr, [&](const Expr& e) {
      if (at++ == n) options = simpler_exprs(e);
    });
    for (const Expr& option : options) {
      Instruction changed = instr;
      at = 0;
      map_expressions(changed, [&](Expr& e) {
        if (at++ == n) e = option;
      });
      all.push_back(std::move(changed));
    }
  }
  return all;
}

} // namespace sourir::reduce
