#include "sourir/syntax/habits.h"
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
    if (at(Tok::Dollar))
      unexpected("a label after `goto`", "the `$` is for targets of branches: write `goto L`");
    const Label target = name<Label>("a label after `goto`");
    record_use(target, kGoto);
    out = Goto{target};
    return;
  }
  case Tok::Print:
    advance();
    out = Print{expr("an expression after `print`")};
    return;
  case Tok::Read:
    advance();
    if (at(Tok::LeftParen)) unexpected("a variable after `read`", "write `read x`");
    out = Read{name<Var>("a variable after `read`")};
    return;
  case Tok::Assert:
    advance();
    out = Assert{expr("an expression after `assert`")};
    if (at(Tok::Comma))
      unexpected("the end of the line after the instruction",
                 "an assert has no text: the message names its expression");
    return;
  case Tok::Return:
    advance();
    if (at(Tok::End))
      unexpected("an expression after `return`", "a function always has a result: `return nil`");
    out = Return{expr("an expression after `return`")};
    return;
  case Tok::Stop:
    advance();
    out = Stop{};
    if (at(Tok::LeftParen) && peek() == Tok::RightParen)
      unexpected("a value or the end of the line after `stop`", "`stop` stands alone");
    if (!at(Tok::End)) std::get<Stop>(out).value = expr("an expression after `stop`");
    return;
  case Tok::GuardHint:
    advance();
    return guards(out.emplace<GuardHint>().guards, "an expression after `guard_hint`");
  default: unexpected("an instruction", habit_at_start(rest_of_line(tok_.span.begin)));
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
    if (!take(Tok::Arrow))
      unexpected("`<-` after the array's element",
                 at(Tok::Equals) ? "a store has `<-`: `a[i] <- x`" : "");
    update.value = expr("an expression after `<-`");
  } else if (at_word("anchor") && next != Tok::Equals && next != Tok::Colon) {
    anchor(out.emplace<Anchor>());
  } else {
    unknown_instruction(tok_.span);
  }
}

// From `begin` on, without a comment.
std::string_view Parser::rest_of_line(std::uint32_t begin) const {
  const std::string_view rest = text_.substr(begin, text_.find('\n', begin) - begin);
  return rest.substr(0, rest.find('#'));
}

void Parser::unknown_instruction(Span word) {
  const std::string_view spelled = text(word);
  const auto instruction = meant(spelled);
  std::string habit = habit_at_start(rest_of_line(word.begin));
  advance();
  if (at(Tok::LeftParen) && !defines(spelled))
    if (std::string of_call = habit_of_call(spelled); !of_call.empty()) habit = std::move(of_call);
  const std::string_view value = rest_of_line(tok_.span.end);
  if (at(Tok::Equals))
    unexpected(fmt::format("`<-` after `{}`", spelled),
               habit_at_equals(spelled, value, defines(called_in(value))));
  else if (at(Tok::Colon))
    fail(Code::Syntax, word, "no label may stand here");
  else if (at(Tok::Comma))
    unexpected(fmt::format("`<-`, `[` or `:` after `{}`", spelled),
               "an assignment has one variable; two swap through a third: `var t = a`, `a <- b`, "
               "`b <- t`");
  else if (!habit.empty())
    fail(Code::Syntax, word, fmt::format("`{}` starts no instruction", spelled), habit);
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
  if (at(Tok::LeftBracket))
    unexpected("`=` or the end of the line",
               fmt::format("an array is declared as one: `array {}[3]`", names_.text(out.name)));
  if (at(Tok::Comma))
    unexpected("`=` or the end of the line", "each variable has a declaration of its own");
  if (!take(Tok::Equals)) return;
  if (at(Tok::LeftBracket))
    unexpected(
        "an expression after `=`",
        fmt::format("an array is declared as one: `array {} = [1, 2]`", names_.text(out.name)));
  out.value = expr("an expression after `=`");
}

void Parser::array(Instruction& out) {
  advance();
  const Var array = name<Var>("a variable after `array`");
  if (take(Tok::LeftBracket)) {
    out = ArrayDecl{array, expr("a length after `[`")};
    expect(Tok::RightBracket, "`]` after the length");
    if (at(Tok::Equals))
      unexpected(
          "the end of the line after the length",
          fmt::format("`array {0} = [1, 2]` has elements, `{0}[0] <- 1` stores one; those of "
                      "`array {0}[2]` begin as nil",
                      names_.text(array)));
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
  const Token first = tok_;
  const bool negated = at_word("not");
  out.condition = expr("a condition after `branch`");
  out.if_true = branch_target("a label after the condition");
  constexpr const char* kSecond = "a second label, for the false case";
  if (at(Tok::End)) unexpected(kSecond, "a branch names both: `branch x $yes $no`");
  out.if_false = branch_target(kSecond);
  if (!negated || at(Tok::End) || failed_) return;
  tok_ = first; // `branch not x $yes $no`
  unexpected("a condition after `branch`", habit_at_end("not"));
}

Label Parser::branch_target(std::string_view expected) {
  const bool dollar = take(Tok::Dollar);
  const Label target = name<Label>(dollar ? "a label after `$`" : expected);
  record_use(target, dollar ? kBranchDollar : kBranchPlain);
  return target;
}

void Parser::call(Call& out) {
  advance();
  constexpr const char* kResult = "a variable for the result after `call`";
  if (at(Tok::Quote)) unexpected(kResult, "a call names its result: `call x = 'f(...)`");
  out.result = name<Var>(kResult);
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
      guards(out.guards, "a guard");
      expect(Tok::RightBracket, "`,` or `]` after the guard");
    }
  } else if (at(Tok::True) && peek() == Tok::Else) {
    advance(); // the paper's empty list
  } else {
    guards(out.guards, "a guard");
  }
  if (!take(Tok::Else))
    unexpected("`else` after the guards",
               "an exit says where to go: `assume [(x is int)] else (f, base, L) [var x = x]`");
  exit(out.exit);
}

void Parser::anchor(Anchor& out) {
  advance();
  expect(Tok::Else, "`else` after `anchor`");
  exit(out.exit);
}

void Parser::record_use(Label label, LabelUse use) {
  if (failed_) return;
  if (label.id >= uses_.size()) uses_.resize(std::max<std::size_t>(names_.size(), label.id + 1));
  if (uses_[label.id] == 0) used_.push_back(label);
  uses_[label.id] |= use;
}

void Parser::exit(Metadata& out) {
  out.frame.target = place();
  if (!at(Tok::LeftBracket)) no_varmap(out.frame.target);
  varmap(out.frame.varmap, nullptr);
  while (at_outer_frame()) {
    OuterFrame& outer = out.outer.emplace_back();
    outer.target = place();
    const bool named = at(Tok::Name); // the paper's: F.V.L r [...]
    if (named) outer.result = taken_name<Var>();
    varmap(outer.varmap, named ? nullptr : &outer.result);
  }
  if (at_with()) with_block(out);
}

bool Parser::at_outer_frame() {
  return take(Tok::Comma) || at(Tok::LeftParen) || (at(Tok::Name) && !at_with());
}

void Parser::no_varmap(const Place& target) {
  if (failed_) return;
  unexpected("`[` with the variables of the frame",
             fmt::format("the values of the variables in scope there follow, in brackets: "
                         "`else ({}, {}, {}) [x = x]`; without any `[]`",
                         names_.text(target.function), names_.text(target.version),
                         names_.text(*target.label)));
}

Place Parser::place() {
  Place place;
  const bool parens = take(Tok::LeftParen);
  const Tok separator = parens ? Tok::Comma : Tok::Dot;
  place.function = name<FunName>(parens ? "a function name after `(`"
                                        : "the place to go to, `(f, v, L)` or `f.v.L`");
  expect(separator, parens ? "`,` after the function name" : "`.` after the function name");
  place.version = name<VerName>("a version name after the function name");
  expect(separator, parens ? "`,` after the version name" : "`.` after the version name");
  place.label = name<Label>("a label after the version name");
  if (parens) expect(Tok::RightParen, "`)` after the label");
  return place;
}

void Parser::varmap(std::vector<Binding>& out, Var* result) {
  expect(Tok::LeftBracket, "`[` with the variables of the frame");
  if (result != nullptr) {
    take(Tok::VarWord);
    *result = name<Var>("the result of the outer frame (`var x = $`)");
    expect(Tok::Equals, "`=` after the result variable");
    if (!take(Tok::Dollar))
      unexpected("`$` after `=`", "an outer frame starts with the result that returns into it: "
                                  "`[var x = $, ...]`");
    if (take(Tok::RightBracket)) return;
    expect(Tok::Comma, "`,` or `]` after the result");
  } else if (take(Tok::RightBracket)) {
    return;
  }
  do out.push_back(entry());
  while (take(Tok::Comma));
  expect(Tok::RightBracket, "`,` or `]` after the variable");
}

Binding Parser::entry() {
  const bool var = take(Tok::VarWord);
  Binding binding{name<Var>("a variable of the frame"), SimpleExpr{Nil{}}};
  if (!take(Tok::Equals)) {
    if (!var) unexpected("`=` after the variable", "each variable gets a value: `x = e`");
    return binding;
  }
  if (at(Tok::Dollar))
    unexpected("an expression after `=`",
               "only the first variable of an outer frame receives the result; the innermost "
               "frame comes first, without a result");
  if (at(Tok::LeftBracket))
    unexpected("an expression after `=`",
               "an exit makes an array in its block: `[x = t] with {`, in lines of their own "
               "`array t = [1, 2]` and `}`");
  binding.value = expr("an expression after `=`");
  return binding;
}

// The block spans lines, so a failed line must not hide the following ones; the statement fails if
// any of its lines does.
void Parser::with_block(Metadata& out) {
  block_read_ = true;
  advance();
  const Span brace = tok_.span;
  advance();
  if (!at(Tok::End)) {
    unexpected("the end of the line after `with {`",
               "each instruction of the block stands on a line of its own, and so does the `}`");
    if (closes_on_its_line(brace)) return;
  }
  bool failed = failed_, first = true, blank = false;
  Deferred* last = nullptr; // the instruction of the line, if there is one
  std::vector<Comment> comments;
  while (block_continues(brace)) {
    const auto comment = finish_line();
    if (comment && last != nullptr)
      last->comments.push_back({0, false, std::string(*comment)});
    else if (comment || (blank && !first))
      add_own_line(comments, 0, comment);
    start_line();
    if (take(Tok::RightBrace)) break;
    const std::size_t count = out.with.size();
    blank = at(Tok::End) && !failed_;
    first = out.with.empty() && comments.empty();
    if (!at(Tok::End)) deferred(out, comments);
    last = out.with.size() > count ? &out.with.back() : nullptr;
    failed = failed || failed_;
  }
  drop_trailing_blanks(comments, 0);
  out.with_end = std::move(comments);
  if (failed && !failed_) failed_ = true, tok_ = {Tok::End, tok_.span};
}

bool Parser::closes_on_its_line(Span brace) const {
  Lexer line(text_, brace.end);
  for (Token token = line.next(); token.kind != Tok::End; token = line.next())
    if (token.kind == Tok::RightBrace) return true;
  return false;
}

bool Parser::block_continues(Span brace) {
  Lexer ahead = lexer_;
  ahead.skip_line();
  ahead.next_line();
  const bool ended = ahead.at_end_of_text();
  const Tok next = ended ? Tok::End : ahead.next().kind;
  if (!ended && next != Tok::Function && next != Tok::Version) return true;
  failed_ = false;
  fail(Code::Syntax, brace, "this `with` block is not closed", "end it with a line `}`");
  return false;
}

void Parser::deferred(Metadata& out, std::vector<Comment>& comments) {
  const Span first = tok_.span;
  const auto refuse = [&] {
    fail(Code::BadDeferred, {first.begin, std::max(last_end_, first.end)},
         "this may not stand in a `with` block",
         "only `var`, `array` and stores into arrays of the block may");
  };
  if (at(Tok::Assume) || (at_word("anchor") && peek() == Tok::Else)) {
    refuse();
    drop_block_of_failed_line(first);
    return;
  }
  Instruction instr;
  instruction(instr);
  expect_end("the instruction");
  if (failed_) return;
  std::optional<DeferredInstr> allowed;
  if (const auto* decl = std::get_if<Decl>(&instr)) allowed = *decl;
  if (const auto* array = std::get_if<ArrayDecl>(&instr)) allowed = *array;
  if (auto* array = std::get_if<ArrayDef>(&instr)) allowed = std::move(*array);
  if (const auto* update = std::get_if<ArrayUpdate>(&instr)) allowed = *update;
  if (!allowed) return refuse();
  out.with.push_back({std::move(*allowed), std::move(comments)});
  comments.clear();
}

// Skips the block of a line that failed before its `with {` was read: else the lines of the block
// would count as the version's.
void Parser::drop_block_of_failed_line(Span first) {
  const auto opens = [this](std::uint32_t begin) {
    Lexer line(text_, begin);
    Tok last = Tok::End;
    for (Token token = line.next(); token.kind != Tok::End; token = line.next()) last = token.kind;
    return last == Tok::LeftBrace;
  };
  if (!opens(first.begin)) return;
  for (std::size_t depth = 1; depth > 0 && block_continues(first);) {
    lexer_.skip_line();
    lexer_.next_line();
    const std::uint32_t begin = lexer_.offset();
    if (lexer_.next().kind == Tok::RightBrace)
      --depth;
    else if (opens(begin))
      ++depth;
  }
  failed_ = true;
}

std::optional<Place> Parser::whole_place() {
  start_line();
  Place place;
  place.function = name<FunName>("a function name");
  expect(Tok::Dot, "`.` after the function name");
  place.version = name<VerName>("a version name");
  if (take(Tok::Dot)) place.label = name<Label>("a label");
  if (!place.label || at(Tok::Add)) {
    expect(Tok::Add, "`.` or `+` after the version name");
    const auto offset = at(Tok::Integer) ? integer_value(text(tok_.span)) : std::nullopt;
    if (!offset || *offset < 0 || *offset > UINT32_MAX) return std::nullopt;
    place.offset = static_cast<std::uint32_t>(*offset);
    advance();
  }
  expect_end("the place");
  return failed_ || lexer_.offset() != text_.size() ? std::nullopt : std::optional(place);
}

} // namespace sourir
