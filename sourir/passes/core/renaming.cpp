#include "sourir/passes/core/renaming.h"

#include "sourir/syntax/scopes.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>

namespace sourir {

Expr rename(const Expr& e, const Renaming& to) {
  Expr result = e;
  const auto simple = [&](SimpleExpr& se) {
    if (Var* const x = std::get_if<Var>(&se)) *x = to.variable(*x);
  };
  match(
      result, simple, [&](Unary& u) { simple(u.operand); },
      [&](Binary& b) { simple(b.left), simple(b.right); },
      [&](Index& i) { i.array = to.variable(i.array), simple(i.index); },
      [&](Length& l) { simple(l.array); }, [&](KindTest& t) { simple(t.operand); },
      [&](ElementsTest& t) { simple(t.operand); });
  return result;
}

Instruction rename(const Instruction& instr, const Renaming& to, FreshNames& fresh) {
  const auto all = [&](std::vector<Expr> list) {
    for (Expr& e : list) e = rename(e, to);
    return list;
  };
  const auto one = [&](const Expr& e) { return rename(e, to); };
  const auto name = [&](Var x) { return to.variable(x); };
  const auto optional = [&](const std::optional<Expr>& e) {
    return e ? std::optional(rename(*e, to)) : std::nullopt;
  };
  const auto exit = [&](const Metadata& m) { return rename(m, to.variables, fresh); };
  using I = Instruction;
  return match(
      instr, [&](const Decl& i) { return I(Decl{name(i.name), optional(i.value)}); },
      [&](const Drop& i) { return I(Drop{name(i.name)}); },
      [&](const Assign& i) { return I(Assign{name(i.name), one(i.value)}); },
      [&](const ArrayDecl& i) { return I(ArrayDecl{name(i.name), one(i.length)}); },
      [&](const ArrayDef& i) { return I(ArrayDef{name(i.name), all(i.elements)}); },
      [&](const ArrayUpdate& i) {
        return I(ArrayUpdate{name(i.array), one(i.index), one(i.value)});
      },
      [&](const Branch& i) {
        return I(Branch{one(i.condition), to.label(i.if_true), to.label(i.if_false)});
      },
      [&](const Goto& i) { return I(Goto{to.label(i.target)}); },
      [&](const Print& i) { return I(Print{one(i.value)}); },
      [&](const Read& i) { return I(Read{name(i.name)}); },
      [&](const Assert& i) { return I(Assert{one(i.condition)}); },
      [&](const Call& i) { return I(Call{name(i.result), one(i.callee), all(i.arguments)}); },
      [&](const Return& i) { return I(Return{one(i.value)}); },
      [&](const Stop& i) { return I(Stop{optional(i.value)}); },
      [&](const Assume& i) { return I(Assume{all(i.guards), exit(i.exit)}); },
      [&](const Anchor& i) { return I(Anchor{exit(i.exit)}); },
      [&](const GuardHint& i) { return I(GuardHint{all(i.guards)}); });
}

TargetLabels::TargetLabels(const Version& version, Names& names)
    : version_(version), names_(names) {
  for (const auto& [label, position] : label_positions(version)) taken_.insert(label);
  for (const Stmt& stmt : version.body) {
    const Successors next = successors(stmt.instr);
    for (const Label* const label : {next.first, next.second})
      if (label != nullptr) jumped_to_.insert(*label);
  }
}

Label TargetLabels::at(std::uint32_t position) {
  const LeadingTrivia& leading =
      position < version_.body.size() ? version_.body[position].leading : version_.end;
  const auto here = std::find_if(leading.labels.begin(), leading.labels.end(),
                                 [&](Label label) { return only_for_exits(label); });
  if (here != leading.labels.end()) return *here;
  const auto [added, fresh] = added_.try_emplace(position);
  if (fresh) do {
      added->second = names_.intern<Label>("L" + std::to_string(next_++));
    } while (!taken_.insert(added->second).second);
  return added->second;
}

void TargetLabels::add_to(Version& version) const {
  for (const auto& [position, label] : added_) {
    LeadingTrivia& leading =
        position < version.body.size() ? version.body[position].leading : version.end;
    const auto slot = static_cast<std::uint32_t>(leading.labels.size());
    for (Comment& c : leading.comments)
      if (c.slot >= slot) ++c.slot;
    leading.labels.push_back(label);
  }
}

Metadata identity_exit(FunName function, VerName version, Label label, Scope scope) {
  Metadata exit;
  exit.frame.target = {function, version, label, 0};
  for (const Var x : scope) exit.frame.varmap.push_back({x, SimpleExpr(x)});
  return exit;
}

} // namespace sourir
