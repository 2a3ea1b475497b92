// Parser: one object that walks over the lines of a text. Its sources, by level of the grammar:
// parse_expr.cpp (expressions), parse_instr.cpp (instructions, exits), parser.cpp (tokens, names,
// errors, lines, headers, comments).
//
// An error is sticky within its line: the first one is reported, then the line appears to have
// ended, so that every loop stops and every function returns a value; the line's result is dropped.
#pragma once

#include "sourir/syntax/text/lexer.h"
#include "sourir/syntax/text/parser.h"

#include <unordered_set>

namespace sourir {

class Parser {
public:
  Parser(std::string_view text, Names& names, Diagnostics& problems);

  Parsed program();

  // The whole text as one of these; empty if it is something else.
  std::optional<Expr> whole_expr();
  std::optional<Literal> whole_literal();
  std::optional<Place> whole_place();

private:
  // --- tokens of a line
  void start_line();
  // Moves past the line feed; returns the line's comment.
  std::optional<std::string_view> finish_line();
  void advance();
  Tok peek();
  bool at(Tok kind) const { return tok_.kind == kind; }
  bool at_word(std::string_view word) const { return at(Tok::Name) && text(tok_.span) == word; }
  bool take(Tok kind) { return at(kind) ? (advance(), true) : false; }
  std::string_view rest_of_line(std::uint32_t begin) const;
  // Whether the text has a function of this name, before or after the token.
  bool defines(std::string_view function);
  std::string_view text(Span span) const { return text_.substr(span.begin, span.end - span.begin); }

  // --- failing
  void fail(Code code, Span span, std::string message, std::string help = {});
  // "expected `expected`, found ..." at the token.
  void unexpected(std::string_view expected, std::string help = {});
  void expect(Tok kind, std::string_view expected);
  void expect_end(std::string_view after);
  void missing_name(std::string_view expected);

  // A name, interned, its span recorded.
  template <class N>
  N name(std::string_view expected) {
    if (!at(Tok::Name)) return missing_name(expected), names_.intern<N>("_");
    return taken_name<N>();
  }
  template <class N>
  N taken_name() {
    sink_->push_back(tok_.span);
    const N result = names_.intern<N>(text(tok_.span));
    advance();
    return result;
  }

  // --- expressions
  enum class Callee : bool { No, Yes }; // of a call: a '(' after it is not its own
  Expr expr(std::string_view expected, Callee callee = Callee::No);
  void exprs(std::vector<Expr>& out, std::string_view expected);  // e, ..., e
  void guards(std::vector<Expr>& out, std::string_view expected); // all of which must hold
  Expr flat(bool in_parens, std::string_view expected);
  Expr continued(SimpleExpr left, bool in_parens);
  SimpleExpr operand(std::string_view expected);
  SimpleExpr atom(std::string_view expected);
  SimpleExpr function_reference();
  Expr type_test(SimpleExpr operand);
  Expr elements_test(SimpleExpr operand, Kind kind); // at the `[` after the type
  void close(Tok kind, std::string_view expected);
  bool nests() const;
  void nested();

  // --- instructions
  void instruction(Instruction& out);
  void named_instruction(Instruction& out); // starts with a name, not with a reserved word
  void unknown_instruction(Span word);
  void decl(Decl& out);
  void array(Instruction& out);
  void branch(Branch& out);
  Label branch_target(std::string_view expected);
  void call(Call& out);
  void assume(Assume& out);
  void anchor(Anchor& out);

  // --- exits
  void exit(Metadata& out);
  Place place();
  void varmap(std::vector<Binding>& out, Var* result);
  Binding entry();
  bool at_outer_frame();
  bool at_with() { return at_word("with") && peek() == Tok::LeftBrace; }
  void with_block(Metadata& out);
  void deferred(Metadata& out, std::vector<Comment>& comments);
  void no_varmap(const Place& target); // the error
  bool closes_on_its_line(Span brace) const;
  bool block_continues(Span brace); // the next line exists and is no header
  void drop_block_of_failed_line(Span first);

  // --- labels, lines, headers
  struct WrittenLabel {
    Label label;
    Span span;
    Sigil sigil;
  };
  struct Pending { // leading trivia of the next instruction
    LeadingTrivia leading;
    std::vector<Span> labels, scopes;
    std::vector<Sigil> sigils;
  };
  void line();
  void body_line();
  bool leading(); // false if the line has only labels and scope notes
  void label(Sigil sigil);
  void scope_note();
  void statement();
  void add_leading(LeadingTrivia& out); // all pending trivia
  void function_header();
  void params(Function& out, FunctionSpans& spans);
  void version_header();
  void continuation(Version& out);
  void begin_function(FunName name, bool implicit, Span span);
  void begin_version(VerName name, bool headerless, Span span);
  void end_version();
  void end_function();
  void check_sigils();
  void check_sigil(const WrittenLabel& label);
  void line_comment(std::optional<std::string_view> comment);
  std::vector<Comment> header_comments();
  enum LabelUse : std::uint8_t { kBranchDollar = 1, kBranchPlain = 2, kGoto = 4 };
  void record_use(Label label, LabelUse use);

  std::string_view text_;
  Names& names_;
  Diagnostics& problems_;
  Lexer lexer_;
  Token tok_;
  std::optional<Token> peeked_;
  bool failed_ = false;
  std::uint32_t last_end_ = 0;   // of the token before tok_
  std::uint32_t expr_begin_ = 0; // of the expression that is being read
  bool in_guards_ = false;       // whether it is one of a list of guards
  std::optional<std::uint32_t> bad_utf8_;
  std::optional<std::unordered_set<std::string_view>> functions_; // of the text, for `defines`
  std::size_t first_error_;
  std::vector<Span> scratch_;           // destination of unused name spans
  std::vector<Span>* sink_ = &scratch_; // the current destination

  Parsed parsed_;
  Version* version_ = nullptr; // the current one, and its spans
  VersionSpans* spans_ = nullptr;
  bool headerless_ = false; // it has no `version` line
  std::size_t version_errors_ = 0;
  Pending pending_;
  std::optional<WrittenLabel> trailing_; // of the call just read
  bool block_read_ = false;              // of the exit just read
  enum class Ends { Blank, AtLabel, AtScope, AtStatement, AtVersion, AtFunction };
  Ends ends_ = Ends::Blank;           // owner of a comment at the end of the line
  std::vector<WrittenLabel> written_; // of the version
  std::vector<std::uint8_t> uses_;    // by label: LabelUse bits within the version
  std::vector<Label> used_;           // which entries of uses_ are set
};

// Appends a comment line, or a blank line where `comment` is empty; runs of blank lines collapse.
void add_own_line(std::vector<Comment>& comments, std::uint32_t slot,
                  std::optional<std::string_view> comment);
// Drop blank lines before the first item, and those after the last one, whose slot is `slot`.
void drop_leading_blanks(std::vector<Comment>& comments);
void drop_trailing_blanks(std::vector<Comment>& comments, std::uint32_t slot);

} // namespace sourir
