// The printer's inside: one object that appends to a text. Sources: print_expr.cpp (literals and
// expressions), print_instr.cpp (instructions and exits), printer.cpp (lines and headers).
#pragma once

#include "sourir/syntax/text/printer.h"

#include <span>
#include <unordered_map>

namespace sourir {

using CommentSlot = std::span<const Comment* const>;

// Comments by the item that they stand at, whatever order they are stored in.
class CommentSlots {
public:
  CommentSlots(const std::vector<Comment>& comments, std::uint32_t last_slot);
  CommentSlot at(std::uint32_t slot) const;

private:
  std::vector<const Comment*> sorted_;
  std::uint32_t last_slot_; // takes all from there on
};

class Printer {
public:
  Printer(const Names& names, Notation notation)
      : names_(names), paper_(notation == Notation::Paper) {}

  void program(const Program& program);
  void literal(const Literal& literal);
  void simple(const SimpleExpr& expr);
  void expr(const Expr& expr);
  // Without its comments, and those of its `with` block unless they are asked for; the lines of
  // the block are indented by `indent`.
  void instruction(const Instruction& instr, std::size_t indent, bool comments);
  void exit(const Metadata& exit, std::size_t indent, bool comments);
  void place(const Place& place);

  std::string take() { return std::move(out_); }

private:
  template <class Tag>
  std::string_view text(Name<Tag> name) const {
    return names_.text(name);
  }
  void put(std::string_view text) { out_ += text; }
  void end_line() { out_ += '\n', quiet_ = false; }
  void list(std::span<const Expr> exprs);
  void varmap(std::span<const Binding> bindings, std::span<const Var> unknown, const Var* result);
  void target(const Place& place);
  void guards(std::span<const Expr> guards);
  void with_block(const Metadata& exit, std::size_t indent, bool comments);
  void deferred(const Decl& i);
  void deferred(const ArrayDecl& i);
  void deferred(const ArrayDef& i);
  void deferred(const ArrayUpdate& i);
  void call(const Call& call);
  void branch(const Branch& branch);

  // --- lines
  void function(const Function& function, bool first);
  void params(const Function& function);
  // A script is a main without header: its first comments are not indented.
  void version(const Version& version, bool script);
  void version_header(const Version& version);
  // Own-line comments before the instruction are indented by `indent`.
  void line(const Marks& marks, const Instruction* instr, std::size_t indent);
  // The labels, and the comments up to the instruction. True if the last label stands on the
  // line that the instruction goes on.
  bool labels(const Marks& marks, const CommentSlots& comments, bool before_instruction);
  void scopes(const Marks& marks);
  void label(Label label);
  void find_sigils(const Version& version);
  void find_gutter(const Version& version);

  // --- comments of one item: the own-line ones, or those that end its line
  void own_lines(CommentSlot comments, std::size_t indent);
  void line_ends(CommentSlot comments);
  void own_line(const Comment& comment, std::size_t indent);
  void comment_text(const Comment& comment);

  enum Use : std::uint8_t { kBranch = 1, kGoto = 2 };
  const Names& names_;
  bool paper_;
  std::string out_;
  bool quiet_ = true;      // no blank line here: at the start of a file or body, or after one
  std::size_t gutter_ = 2; // column of instructions
  std::unordered_map<Label, std::uint8_t> uses_; // in the version: Use bits
};

} // namespace sourir
