// Writers of JSON: a text with explicit line breaks, and the parts that the JSON forms of programs
// and state maps share.
#pragma once

#include "sourir/syntax/ast.h"

#include <cstdint>
#include <string>
#include <string_view>

namespace sourir {

// A JSON text. The forms put one statement on a line, so that differences are readable.
class JsonText {
public:
  // Commas are added between items.
  JsonText& open(char bracket);
  JsonText& close(char bracket);
  JsonText& key(std::string_view name); // precondition: nothing to escape
  JsonText& text(std::string_view value);
  JsonText& number(std::uint64_t value);
  JsonText& flag(bool value);
  JsonText& null();
  // The next item starts a new line.
  JsonText& line(std::size_t indent);

  std::string take() { return std::move(out_); }

private:
  void separate();

  std::string out_;
  std::size_t indent_ = 0;
  bool comma_ = false, line_ = false;
};

// The parts of the JSON forms.
class JsonWriter {
public:
  explicit JsonWriter(const Names& names) : names_(names) {}

  JsonText& out() { return out_; }

  template <class Tag>
  void name(Name<Tag> name) {
    out_.text(names_.text(name));
  }
  template <class Items, class Write>
  void list(const Items& items, Write&& write) {
    out_.open('[');
    for (const auto& item : items) write(item);
    out_.close(']');
  }
  // Writes nothing for an empty list: an absent key means the default.
  template <class Items, class Write>
  void list_unless_empty(std::string_view key, const Items& items, Write&& write) {
    if (items.empty()) return;
    out_.key(key);
    list(items, write);
  }

  void place(const Place& place);
  void expr(const Expr& expr);
  void instruction(const Instruction& instruction);
  void metadata(const Metadata& metadata);
  void outer_frame(const OuterFrame& frame);
  void with_block(const std::vector<Deferred>& block);
  void comments(std::string_view key, const std::vector<Comment>& comments);

private:
  void simple(const SimpleExpr& expr);
  void exprs(std::string_view key, const std::vector<Expr>& exprs);
  void value(std::string_view key, const Expr& e) { out_.key(key), expr(e); }
  template <class Tag>
  void value(std::string_view key, Name<Tag> n) {
    out_.key(key), name(n);
  }
  void operation(std::string_view name) { out_.key("op").text(name); }
  void varmap(const std::vector<Binding>& varmap, const std::vector<Var>& unknown);

  // The members of an instruction, without its braces.
  void members(const Decl& i);
  void members(const Drop& i);
  void members(const Assign& i);
  void members(const ArrayDecl& i);
  void members(const ArrayDef& i);
  void members(const ArrayUpdate& i);
  void members(const Branch& i);
  void members(const Goto& i);
  void members(const Print& i);
  void members(const Read& i);
  void members(const Assert& i);
  void members(const Call& i);
  void members(const Return& i);
  void members(const Stop& i);
  void members(const Assume& i);
  void members(const Anchor& i);
  void members(const GuardHint& i);

  const Names& names_;
  JsonText out_;
};

} // namespace sourir
