#include "sourir/syntax/text/print_state.h"

#include <fmt/format.h>

namespace sourir {

void Printer::instruction(const Instruction& instr, std::size_t indent, bool comments) {
  const auto with_expr = [this](std::string_view word, const Expr& e) { put(word), expr(e); };
  match(
      instr, [&](const Decl& i) { deferred(i); },
      [&](const Drop& i) { put("drop "), put(text(i.name)); },
      [&](const Assign& i) { put(text(i.name)), with_expr(paper_ ? " ← " : " <- ", i.value); },
      [&](const ArrayDecl& i) { deferred(i); }, [&](const ArrayDef& i) { deferred(i); },
      [&](const ArrayUpdate& i) { deferred(i); }, [&](const Branch& i) { branch(i); },
      [&](const Goto& i) { put("goto "), put(text(i.target)); },
      [&](const Print& i) { with_expr("print ", i.value); },
      [&](const Read& i) { put("read "), put(text(i.name)); },
      [&](const Assert& i) { with_expr("assert ", i.condition); }, [&](const Call& i) { call(i); },
      [&](const Return& i) { with_expr("return ", i.value); },
      [&](const Stop& i) {
        put("stop");
        if (i.value) with_expr(" ", *i.value);
      },
      [&](const Assume& i) {
        put("assume "), guards(i.guards), put(" else ");
        exit(i.exit, indent, comments);
      },
      [&](const Anchor& i) { put("anchor else "), exit(i.exit, indent, comments); },
      [&](const GuardHint& i) { put("guard_hint "), list(i.guards); });
}

void Printer::branch(const Branch& branch) {
  const std::string_view before = paper_ ? " " : " $";
  put("branch "), expr(branch.condition);
  put(before), put(text(branch.if_true)), put(before), put(text(branch.if_false));
}

void Printer::call(const Call& call) {
  const bool operation = paper_ && (std::holds_alternative<Unary>(call.callee) ||
                                    std::holds_alternative<Binary>(call.callee));
  put("call "), put(text(call.result)), put(" = ");
  put(operation ? "(" : ""), expr(call.callee), put(operation ? ")" : "");
  put("("), list(call.arguments), put(")");
}

// The paper writes the empty list as `true`; so a list that holds just that gets brackets.
void Printer::guards(std::span<const Expr> guards) {
  const bool lone_true = guards.size() == 1 && guards[0] == Expr(SimpleExpr(true));
  if (paper_ && guards.empty()) return put("true");
  if (paper_ && !lone_true) return list(guards);
  put("["), list(guards), put("]");
}

void Printer::deferred(const Decl& i) {
  put("var "), put(text(i.name));
  if (i.value) put(" = "), expr(*i.value);
}
void Printer::deferred(const ArrayDecl& i) {
  put("array "), put(text(i.name)), put("["), expr(i.length), put("]");
}
void Printer::deferred(const ArrayDef& i) {
  put("array "), put(text(i.name)), put(" = ["), list(i.elements), put("]");
}
void Printer::deferred(const ArrayUpdate& i) {
  put(text(i.array)), put("["), expr(i.index), put(paper_ ? "] ← " : "] <- "), expr(i.value);
}

void Printer::exit(const Metadata& exit, std::size_t indent, bool comments) {
  target(exit.frame.target);
  varmap(exit.frame.varmap, exit.frame.unknown, nullptr);
  for (const OuterFrame& outer : exit.outer) {
    put(paper_ ? " " : ", "), target(outer.target);
    if (paper_) put(" "), put(text(outer.result));
    varmap(outer.varmap, outer.unknown, paper_ ? nullptr : &outer.result);
  }
  if (!exit.with.empty() || !exit.with_end.empty()) with_block(exit, indent, comments);
}

void Printer::target(const Place& place) {
  if (paper_) return this->place(place);
  put("("), put(text(place.function)), put(", "), put(text(place.version)), put(", ");
  if (place.label) put(text(*place.label));
  if (place.offset != 0 || !place.label) put(fmt::format("+{}", place.offset));
  put(")");
}

void Printer::place(const Place& place) {
  put(text(place.function)), put("."), put(text(place.version));
  if (place.label) put("."), put(text(*place.label));
  if (place.offset != 0 || !place.label) put(fmt::format("+{}", place.offset));
}

void Printer::varmap(std::span<const Binding> bindings, std::span<const Var> unknown,
                     const Var* result) {
  const std::string_view var = paper_ ? "" : "var ";
  std::string_view separator = " [";
  const auto name = [&](Var x) {
    put(separator), put(var), put(text(x)), put(" = ");
    separator = ", ";
  };
  if (result != nullptr) name(*result), put("$");
  for (const Binding& b : bindings) name(b.name), expr(b.value);
  for (const Var x : unknown) name(x), put("?");
  put(separator == " [" ? " []" : "]");
}

void Printer::with_block(const Metadata& exit, std::size_t indent, bool comments) {
  constexpr std::size_t kDeeper = 2;
  const std::vector<Comment> none;
  put(" with {"), end_line();
  quiet_ = true;
  for (const Deferred& d : exit.with) {
    const CommentSlots slots(comments ? d.comments : none, 0);
    own_lines(slots.at(0), indent + kDeeper);
    out_.append(indent + kDeeper, ' ');
    match(d.instr, [&](const auto& i) { deferred(i); });
    line_ends(slots.at(0));
    end_line();
  }
  std::span<const Comment> rest(exit.with_end);
  while (!rest.empty() && rest.back().text.empty()) rest = rest.first(rest.size() - 1);
  if (comments)
    for (const Comment& comment : rest) own_line(comment, indent + kDeeper);
  out_.append(indent, ' ');
  put("}");
}

std::string print(const Instruction& instr, const Names& names, Notation notation) {
  Printer printer(names, notation);
  printer.instruction(instr, 0, false);
  return printer.take();
}

std::string print(const Metadata& exit, const Names& names, Notation notation) {
  Printer printer(names, notation);
  printer.exit(exit, 0, false);
  return printer.take();
}

std::string print(const Place& place, const Names& names) {
  Printer printer(names, Notation::Prototype);
  printer.place(place);
  return printer.take();
}

} // namespace sourir
