#include "sourir/syntax/text/parser.h"

#include "sourir/syntax/habits.h"
#include "sourir/syntax/text/parse_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>

namespace sourir {

namespace {

constexpr std::size_t kMaxErrors = 100'000; // of a text

// At most `limit` bytes, cut between characters.
std::string shortened(std::string_view text, std::size_t limit) {
  if (text.size() <= limit) return std::string(text);
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xC0) == 0x80) --limit;
  return std::string(text.substr(0, limit)) + "...";
}

} // namespace

Parser::Parser(std::string_view text, Names& names, Diagnostics& problems)
    : text_(text), names_(names), problems_(problems), lexer_(text),
      bad_utf8_(find_bad_utf8(text, 0)), first_error_(problems.errors()) {}

void Parser::start_line() {
  failed_ = false;
  peeked_.reset();
  tok_ = {Tok::End, {lexer_.offset(), lexer_.offset()}};
  if (bad_utf8_) {
    Lexer end = lexer_;
    end.skip_line();
    if (*bad_utf8_ < end.offset()) {
      fail(Code::BadEncoding, {*bad_utf8_, *bad_utf8_ + 1}, "this byte is not UTF-8",
           "the line is ignored; store the file as UTF-8");
      bad_utf8_ = find_bad_utf8(text_, end.offset());
      return;
    }
  }
  tok_ = lexer_.next();
}

std::optional<std::string_view> Parser::finish_line() {
  const bool failed = failed_;
  if (failed) lexer_.skip_line();
  const auto comment = lexer_.next_line();
  return failed ? std::nullopt : comment;
}

void Parser::advance() {
  last_end_ = tok_.span.end;
  tok_ = peeked_ ? *peeked_ : lexer_.next();
  peeked_.reset();
}

Tok Parser::peek() {
  if (failed_) return Tok::End;
  if (!peeked_) peeked_ = lexer_.next();
  return peeked_->kind;
}

bool Parser::defines(std::string_view function) {
  if (functions_) return functions_->contains(function);
  functions_.emplace();
  for (Lexer line(text_); !line.at_end_of_text(); line.skip_line(), line.next_line())
    if (line.next().kind == Tok::Function) functions_->insert(text(line.next().span));
  return functions_->contains(function);
}

void Parser::fail(Code code, Span span, std::string message, std::string help) {
  if (failed_) return;
  failed_ = true;
  if (at(Tok::Bad) && span == tok_.span) {
    BadToken bad = describe_bad(text(tok_.span));
    code = bad.unclosed_string ? Code::BadString : Code::Syntax;
    message = std::move(bad.message);
    help = bad.unclosed_string ? "strings end on their line with `\"`; \\n stands for a new line"
                               : habit_of_token(text(tok_.span));
  }
  problems_.add(code, span, std::move(message)).help = std::move(help);
  tok_ = {Tok::End, {tok_.span.begin, tok_.span.begin}};
  peeked_.reset();
  if (problems_.errors() - first_error_ < kMaxErrors) return;
  const std::uint32_t end = lexer_.size();
  problems_.add(Code::Syntax, {end, end},
                fmt::format("the text behind error {} was not looked at", kMaxErrors));
  lexer_ = Lexer(text_, end);
}

void Parser::unexpected(std::string_view expected, std::string help) {
  if (failed_) return;
  const std::string found =
      at(Tok::End) ? "the end of the line" : fmt::format("`{}`", shortened(text(tok_.span), 40));
  const std::string_view before = text_.substr(0, tok_.span.begin);
  if (at_word("is")) help = "a type test needs its parentheses: `(x is int)`";
  if (at(Tok::Div) && before.ends_with('/')) help = habit_at_end("//");
  if (help.empty() && (before.ends_with(" not ") || before.ends_with("(not ")))
    help = habit_at_end("not");
  fail(Code::Syntax, tok_.span, fmt::format("expected {}, found {}", expected, found),
       std::move(help));
}

void Parser::expect(Tok kind, std::string_view expected) {
  if (!take(kind)) unexpected(expected);
}

void Parser::expect_end(std::string_view after) {
  if (at(Tok::End)) return;
  std::string help;
  if (at(Tok::Arrow)) help = "`<-` assigns; for a comparison with a negative number write `< -`";
  if (help.empty()) help = habit_at_end(text(tok_.span));
  unexpected(fmt::format("the end of the line after {}", after), std::move(help));
}

void Parser::missing_name(std::string_view expected) {
  if (is_reserved(tok_.kind))
    fail(Code::ReservedWord, tok_.span,
         fmt::format("expected {}, but `{}` is a reserved word", expected, text(tok_.span)));
  else
    unexpected(expected);
}

Parsed parse(const Source& source, Names& names, Diagnostics& problems) {
  return Parser(source.text(), names, problems).program();
}

std::optional<Literal> parse_literal(std::string_view text, Names& names) {
  Diagnostics problems;
  return Parser(trimmed(text), names, problems).whole_literal();
}

std::optional<Expr> parse_expr(std::string_view text, Names& names) {
  Diagnostics problems;
  return Parser(trimmed(text), names, problems).whole_expr();
}

std::optional<Place> parse_place(std::string_view text, Names& names) {
  Diagnostics problems;
  return Parser(trimmed(text), names, problems).whole_place();
}

// --- Headers: where functions and versions begin and end -----------------------------------------

void Parser::function_header() {
  advance();
  const Span span = tok_.span;
  sink_ = &scratch_;
  scratch_.clear();
  const FunName function = name<FunName>("a function name after `function`");
  begin_function(function, false, span);
  params(parsed_.program.functions.back(), parsed_.spans.functions.back());
  expect_end("the parameters");
  ends_ = Ends::AtFunction;
}

void Parser::params(Function& out, FunctionSpans& spans) {
  expect(Tok::LeftParen, "`(` after the function name");
  if (take(Tok::RightParen)) return;
  sink_ = &spans.params;
  do {
    take(Tok::VarWord);
    out.params.push_back(name<Var>("a parameter"));
  } while (take(Tok::Comma));
  expect(Tok::RightParen, "`,` or `)` after the parameter");
}

void Parser::version_header() {
  const Span keyword = tok_.span;
  advance();
  const Span span = tok_.span;
  sink_ = &scratch_;
  scratch_.clear();
  const VerName version = name<VerName>("a version name after `version`");
  if (parsed_.program.functions.empty()) {
    problems_.add(Code::Syntax, keyword, "this version belongs to no function").help =
        "put `function main()` before it";
    begin_function(names_.intern<FunName>("main"), false, keyword);
  }
  if (version_ != nullptr && headerless_)
    problems_.add(Code::Syntax, keyword, "there are instructions before the function's versions")
        .help = "give them a `version` line of their own";
  begin_version(version, false, span);
  sink_ = &spans_->header;
  if (at_word("cont")) continuation(*version_);
  if (at_word("when")) {
    advance();
    if (!take(Tok::LeftBracket))
      unexpected(
          "`[` after `when`",
          fmt::format("a context is a list: `version {} when [(x is int)]`", names_.text(version)));
    guards(version_->when, "a condition");
    expect(Tok::RightBracket, "`,` or `]` after the condition");
  }
  expect_end("the version header");
  ends_ = Ends::AtVersion;
}

void Parser::continuation(Version& out) {
  advance();
  ContinuationHeader& cont = out.cont.emplace();
  cont.entry = name<Label>("the label of the first position after `cont`");
  expect(Tok::LeftBracket, "`[` with the variables in scope");
  if (take(Tok::RightBracket)) return;
  do cont.names.push_back(name<Var>("a variable"));
  while (take(Tok::Comma));
  expect(Tok::RightBracket, "`,` or `]` after the variable");
}

// Pending comments after the last label belong to the next header.
std::vector<Comment> Parser::header_comments() {
  auto& waiting = pending_.leading.comments;
  std::vector<Comment> comments;
  auto first = waiting.end();
  while (first != waiting.begin() && std::prev(first)->slot == pending_.leading.labels.size())
    --first;
  std::move(first, waiting.end(), std::back_inserter(comments));
  waiting.erase(first, waiting.end());
  for (Comment& comment : comments) comment.slot = 0;
  return comments;
}

void Parser::begin_function(FunName name, bool implicit, Span span) {
  // The lines of an implicit main have begun already: pending comments belong to the first of them.
  std::vector<Comment> comments = implicit ? std::vector<Comment>{} : header_comments();
  end_function();
  if (parsed_.program.functions.empty()) drop_leading_blanks(comments);
  Function& function = parsed_.program.functions.emplace_back();
  function.name = name;
  function.implicit = implicit;
  function.comments = std::move(comments);
  parsed_.spans.functions.emplace_back().name = span;
}

void Parser::begin_version(VerName name, bool headerless, Span span) {
  std::vector<Comment> comments = headerless ? std::vector<Comment>{} : header_comments();
  end_version();
  version_ = &parsed_.program.functions.back().versions.emplace_back();
  spans_ = &parsed_.spans.functions.back().versions.emplace_back();
  version_->name = name;
  version_->comments = std::move(comments);
  spans_->name = span;
  headerless_ = headerless;
  version_errors_ = problems_.errors();
}

void Parser::end_function() {
  if (parsed_.program.functions.empty()) return;
  if (version_ == nullptr)
    begin_version(names_.intern<VerName>("anon"), true, parsed_.spans.functions.back().name);
  end_version();
}

void Parser::end_version() {
  if (version_ == nullptr) return;
  const bool empty = version_->body.empty();
  const std::uint32_t end = empty ? spans_->name.end : spans_->stmts.back().instr.end;
  auto& names = spans_->names;
  spans_->stmts.push_back({{end, end}, static_cast<std::uint32_t>(names.size())});
  names.insert(names.end(), pending_.labels.begin(), pending_.labels.end());
  names.insert(names.end(), pending_.scopes.begin(), pending_.scopes.end());
  add_leading(version_->end);
  if (empty) drop_leading_blanks(version_->end.comments);
  check_sigils();
  version_ = nullptr;
  spans_ = nullptr;
}

void Parser::check_sigils() {
  if (problems_.errors() == version_errors_)
    for (const WrittenLabel& label : written_) check_sigil(label);
  for (const Label label : used_) uses_[label.id] = 0;
  used_.clear();
  written_.clear();
}

// A label that only branches use may be plain if no branch writes it with `$`: the paper's
// notation.
void Parser::check_sigil(const WrittenLabel& label) {
  const unsigned use = label.label.id < uses_.size() ? uses_[label.label.id] : 0;
  const bool branches = (use & (kBranchDollar | kBranchPlain)) != 0, gotos = (use & kGoto) != 0;
  const std::string_view name = names_.text(label.label);
  const auto warn = [&](std::string_view written, std::string_view why, std::string_view better) {
    problems_.add(Code::SigilMismatch, label.span, fmt::format("`{}{}:` {}", written, name, why))
        .help = fmt::format("write `{}{}:`", better, name);
  };
  switch (label.sigil) {
  case Sigil::Dollar:
    if (!branches)
      warn("$", "is written as the target of a branch, but no branch goes there", gotos ? "" : ">");
    break;
  case Sigil::Plain:
    if ((use & kBranchDollar) != 0 && !gotos)
      warn("", "is written as the target of a goto, but only branches go there", "$");
    break;
  case Sigil::Deopt:
    if (gotos)
      warn(">", "is written as the target of exits only, but a goto goes there", "");
    else if (branches)
      warn(">", "is written as the target of exits only, but a branch goes there", "$");
    break;
  }
}

Parsed Parser::program() {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text_.starts_with(kByteOrderMark)) lexer_ = Lexer(text_, kByteOrderMark.size());
  while (!lexer_.at_end_of_text()) {
    start_line();
    ends_ = Ends::Blank;
    line();
    const bool failed = failed_;
    const auto comment = finish_line();
    if (!failed) line_comment(comment);
  }
  end_function();
  if (!parsed_.program.functions.empty()) {
    LeadingTrivia& end = parsed_.program.functions.back().versions.back().end;
    drop_trailing_blanks(end.comments, static_cast<std::uint32_t>(end.labels.size()));
  }
  return std::move(parsed_);
}

void Parser::line() {
  switch (tok_.kind) {
  case Tok::End: return;
  case Tok::Function: return function_header();
  case Tok::Version: return version_header();
  default: return body_line();
  }
}

void Parser::body_line() {
  const bool begins = version_ == nullptr;
  if (begins) {
    const Span first = tok_.span;
    if (parsed_.program.functions.empty())
      begin_function(names_.intern<FunName>("main"), true, first);
    begin_version(names_.intern<VerName>("anon"), true, first);
  }
  if (leading()) statement();
  if (begins) {
    spans_->name.end = std::max(spans_->name.end, last_end_);
    if (parsed_.program.functions.back().implicit)
      parsed_.spans.functions.back().name = spans_->name;
  }
}

bool Parser::leading() {
  while (!failed_) {
    switch (tok_.kind) {
    case Tok::Dollar: advance(), label(Sigil::Dollar); break;
    case Tok::Gt: advance(), label(Sigil::Deopt); break;
    case Tok::LeftBrace: scope_note(); break;
    case Tok::Name:
      if (peek() != Tok::Colon) return true;
      label(Sigil::Plain);
      break;
    case Tok::End: return false;
    default: return true;
    }
  }
  return false;
}

void Parser::label(Sigil sigil) {
  if (!at(Tok::Name)) return missing_name("a label");
  const WrittenLabel written{names_.intern<Label>(text(tok_.span)), tok_.span, sigil};
  advance();
  expect(Tok::Colon, "`:` after the label");
  if (failed_) return;
  pending_.leading.labels.push_back(written.label);
  pending_.labels.push_back(written.span);
  pending_.sigils.push_back(sigil);
  written_.push_back(written);
  ends_ = Ends::AtLabel;
}

void Parser::scope_note() {
  const std::uint32_t begin = tok_.span.begin;
  advance();
  ScopeNote note;
  sink_ = &scratch_;
  scratch_.clear();
  while (!at(Tok::RightBrace) && !failed_) {
    note.open = take(Tok::Ellipsis);
    if (note.open) break;
    note.names.push_back(name<Var>("a variable or `...` of the scope"));
    if (!take(Tok::Comma) && !at(Tok::Ellipsis)) break;
  }
  expect(Tok::RightBrace, "`,` or `}` in the scope");
  if (failed_) return;
  pending_.leading.scopes.push_back(std::move(note));
  pending_.scopes.push_back({begin, last_end_});
  ends_ = Ends::AtScope;
}

void Parser::statement() {
  const Span first = tok_.span;
  Stmt& stmt = version_->body.emplace_back();
  const auto names_before = static_cast<std::uint32_t>(spans_->names.size());
  auto& names = spans_->names;
  names.insert(names.end(), pending_.labels.begin(), pending_.labels.end());
  names.insert(names.end(), pending_.scopes.begin(), pending_.scopes.end());
  sink_ = &names;
  block_read_ = false;
  trailing_.reset();
  instruction(stmt.instr);
  expect_end("the instruction");
  if (failed_) {
    if (!block_read_) drop_block_of_failed_line(first);
    version_->body.pop_back();
    names.resize(names_before);
    return;
  }
  spans_->stmts.push_back({{first.begin, last_end_}, names_before});
  add_leading(stmt.leading);
  if (version_->body.size() == 1) drop_leading_blanks(stmt.leading.comments);
  ends_ = Ends::AtStatement;
  if (!trailing_) return;
  pending_.leading.labels.push_back(trailing_->label);
  pending_.labels.push_back(trailing_->span);
  pending_.sigils.push_back(trailing_->sigil);
}

void Parser::add_leading(LeadingTrivia& out) {
  spans_->sigils.insert(spans_->sigils.end(), pending_.sigils.begin(), pending_.sigils.end());
  out = std::move(pending_.leading);
  pending_.leading = {};
  pending_.labels.clear();
  pending_.scopes.clear();
  pending_.sigils.clear();
}

void Parser::line_comment(std::optional<std::string_view> comment) {
  auto& waiting = pending_.leading.comments;
  const auto labels = static_cast<std::uint32_t>(pending_.leading.labels.size());
  if (ends_ == Ends::Blank) return add_own_line(waiting, labels, comment);
  if (!comment) return;
  std::string text(*comment);
  switch (ends_) {
  case Ends::Blank:
  case Ends::AtScope: return add_own_line(waiting, labels, comment);
  case Ends::AtLabel: waiting.push_back({labels - 1, false, std::move(text)}); return;
  case Ends::AtStatement: {
    LeadingTrivia& leading = version_->body.back().leading;
    const auto slot = static_cast<std::uint32_t>(leading.labels.size());
    leading.comments.push_back({slot, false, std::move(text)});
    return;
  }
  case Ends::AtVersion: version_->comments.push_back({0, false, std::move(text)}); return;
  case Ends::AtFunction:
    parsed_.program.functions.back().comments.push_back({0, false, std::move(text)});
    return;
  }
}

void add_own_line(std::vector<Comment>& comments, std::uint32_t slot,
                  std::optional<std::string_view> comment) {
  if (comment) {
    comments.push_back({slot, true, std::string(comment->empty() ? " " : *comment)});
    return;
  }
  const bool again = !comments.empty() && comments.back().own_line &&
                     comments.back().text.empty() && comments.back().slot == slot;
  if (!again) comments.push_back({slot, true, {}});
}

namespace {

bool is_blank_line(const Comment& comment) { return comment.own_line && comment.text.empty(); }

} // namespace

void drop_leading_blanks(std::vector<Comment>& comments) {
  const auto first = std::find_if_not(comments.begin(), comments.end(), [](const Comment& c) {
    return c.slot == 0 && is_blank_line(c);
  });
  comments.erase(comments.begin(), first);
}

void drop_trailing_blanks(std::vector<Comment>& comments, std::uint32_t slot) {
  while (!comments.empty() && is_blank_line(comments.back()) && comments.back().slot == slot)
    comments.pop_back();
}

} // namespace sourir
