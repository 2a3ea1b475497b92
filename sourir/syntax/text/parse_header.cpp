// Where functions and versions begin and end.
#include "sourir/syntax/text/parse_state.h"

#include <fmt/format.h>

namespace sourir {

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
    expect(Tok::LeftBracket, "`[` after `when`");
    exprs(version_->when, "a condition");
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

// Comments that wait behind the last label stand before the header that follows.
std::vector<Comment> Parser::header_comments() {
  auto& waiting = pending_.marks.comments;
  std::vector<Comment> comments;
  auto first = waiting.end();
  while (first != waiting.begin() && std::prev(first)->slot == pending_.marks.labels.size())
    --first;
  std::move(first, waiting.end(), std::back_inserter(comments));
  waiting.erase(first, waiting.end());
  for (Comment& comment : comments) comment.slot = 0;
  return comments;
}

void Parser::begin_function(FunName name, bool implicit, Span span) {
  // The lines of an implicit main have begun already: what waits belongs to the first of them.
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
  add_marks(version_->end);
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

// A label that only branches use may be plain where no branch writes it with `$`: that is the
// paper's notation.
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

} // namespace sourir
