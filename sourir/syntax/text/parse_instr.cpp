#include "sourir/syntax/suggest.h"
#include "sourir/syntax/text/parse_state.h"

#include <fmt/format.h>

namespace sourir {

namespace {

std::optional<std::string_view> meant(std::string_view word) {
  return closest(word, {"var", "drop", "array", "branch", "goto", "print", "read", "assert", "call",
                        "return", "stop", "assume", "anchor", "guard_hint", "function", "version"});
}

} // namespace

void Parser::instruction(Instruction& out) {
  switch (tok_.kind) {
  case Tok::Name: return named_instruction(out);
  case Tok::VarWord: return decl(out.emplace<Decl>());
  case Tok::Array: return array(out);
  case Tok::Branch: return branch(out.emplace<Branch>());
  case Tok::Call: return call(out.emplace<Call>());
  case Tok::Assume: return assume(out.emplace<Assume>());
  case Tok::Drop:
    advance();
    out = Drop{name<Var>("a variable after `drop`")};
    return;
  case Tok::Goto: {
    advance();
    const Label target = name<Label>("a label after `goto`");
    note_use(target, kGoto);
    out = Goto{target};
    return;
  }
  case Tok::Print:
    advance();
    out = Print{expr("an expression after `print`")};
    return;
  case Tok::Read:
    advance();
    out = Read{name<Var>("a variable after `read`")};
    return;
  case Tok::Assert:
    advance();
    out = Assert{expr("an expression after `assert`")};
    return;
  case Tok::Return:
    advance();
    out = Return{expr("an expression after `return`")};
    return;
  case Tok::Stop:
    advance();
    out = Stop{};
    if (!at(Tok::End)) std::get<Stop>(out).value = expr("an expression after `stop`");
    return;
  case Tok::GuardHint:
    advance();
    return exprs(out.emplace<GuardHint>().guards, "an expression after `guard_hint`");
  default: unexpected("an instruction");
  }
}

void Parser::named_instruction(Instruction& out) {
  const Tok next = peek();
  if (next == Tok::Arrow) {
    const Var variable = taken_name<Var>();
    advance();
    out = Assign{variable, expr("an expression after `<-`")};
  } else if (next == Tok::LeftBracket) {
    ArrayUpdate& update = out.emplace<ArrayUpdate>();
    update.array = taken_name<Var>();
    advance();
    update.index = expr("an index after `[`");
    expect(Tok::RightBracket, "`]` after the index");
    expect(Tok::Arrow, "`<-` after the array's element");
    update.value = expr("an expression after `<-`");
  } else if (at_word("anchor") && next != Tok::Equals && next != Tok::Colon) {
    anchor(out.emplace<Anchor>());
  } else {
    unknown_instruction(tok_.span);
  }
}

void Parser::unknown_instruction(Span word) {
  const std::string_view spelled = text(word);
  const auto instruction = meant(spelled);
  advance();
  if (at(Tok::Equals))
    unexpected(fmt::format("`<-` after `{}`", spelled),
               fmt::format("write `{0} <- ...` to assign, `var {0} = ...` to declare", spelled));
  else if (at(Tok::Colon))
    fail(Code::Syntax, word, "no label may stand here");
  else if (instruction)
    fail(Code::Syntax, word, fmt::format("`{}` starts no instruction", spelled),
         fmt::format("did you mean `{}`?", *instruction));
  else
    unexpected(fmt::format("`<-`, `[` or `:` after `{}`", spelled));
}

void Parser::decl(Decl& out) {
  advance();
  out.name = name<Var>("a variable after `var`");
  if (at(Tok::Arrow))
    unexpected("`=` or the end of the line", "a declaration has `=`, an assignment `<-`");
  if (take(Tok::Equals)) out.value = expr("an expression after `=`");
}

void Parser::array(Instruction& out) {
  advance();
  const Var array = name<Var>("a variable after `array`");
  if (take(Tok::LeftBracket)) {
    out = ArrayDecl{array, expr("a length after `[`")};
    expect(Tok::RightBracket, "`]` after the length");
    return;
  }
  if (!take(Tok::Equals)) return unexpected("`[` or `=` after the array's name");
  expect(Tok::LeftBracket, "`[` after `=`");
  ArrayDef& def = out.emplace<ArrayDef>();
  def.name = array;
  if (take(Tok::RightBracket)) return;
  exprs(def.elements, "an element");
  expect(Tok::RightBracket, "`,` or `]` after the element");
}

void Parser::branch(Branch& out) {
  advance();
  out.condition = expr("a condition after `branch`");
  out.if_true = branch_target("a label after the condition");
  out.if_false = branch_target("a second label, for the false case");
}

Label Parser::branch_target(std::string_view expected) {
  const bool dollar = take(Tok::Dollar);
  const Label target = name<Label>(dollar ? "a label after `$`" : expected);
  note_use(target, dollar ? kBranchDollar : kBranchPlain);
  return target;
}

void Parser::call(Call& out) {
  advance();
  out.result = name<Var>("a variable for the result after `call`");
  if (at(Tok::LeftParen))
    unexpected("`=` after the result variable", "a call names its result: `call x = 'f(...)`");
  expect(Tok::Equals, "`=` after the result variable");
  out.callee = expr("a function after `=`", Callee::Yes);
  expect(Tok::LeftParen, "`(` after the function");
  if (!take(Tok::RightParen)) {
    exprs(out.arguments, "an argument");
    expect(Tok::RightParen, "`,` or `)` after the argument");
  }
  if (!at(Tok::Name)) return;
  trailing_ = WrittenLabel{names_.intern<Label>(text(tok_.span)), tok_.span, Sigil::Deopt};
  advance();
}

void Parser::assume(Assume& out) {
  advance();
  if (take(Tok::LeftBracket)) {
    if (!take(Tok::RightBracket)) {
      exprs(out.guards, "a guard");
      expect(Tok::RightBracket, "`,` or `]` after the guard");
    }
  } else if (at(Tok::True) && peek() == Tok::Else) {
    advance(); // the paper's empty list
  } else {
    exprs(out.guards, "a guard");
  }
  expect(Tok::Else, "`else` after the guards");
  exit(out.exit);
}

void Parser::anchor(Anchor& out) {
  advance();
  expect(Tok::Else, "`else` after `anchor`");
  exit(out.exit);
}

void Parser::note_use(Label label, LabelUse use) {
  if (failed_) return;
  if (label.id >= uses_.size()) uses_.resize(std::max<std::size_t>(names_.size(), label.id + 1));
  if (uses_[label.id] == 0) used_.push_back(label);
  uses_[label.id] |= use;
}

} // namespace sourir
