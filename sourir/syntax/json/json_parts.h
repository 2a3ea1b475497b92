// Reader of the parts that the JSON forms of programs and state maps share.
#pragma once

#include "sourir/syntax/ast.h"
#include "sourir/syntax/json/json_reader.h"

namespace sourir {

// The places of comments: slots 0 .. last_slot, of which the first `lines` have a line that a
// comment can end.
struct CommentPlaces {
  std::uint32_t last_slot = 0;
  std::uint32_t lines = 1;
};

// The form of frames: in a program their place is F.V.L and all of their variables are known.
enum class FrameForm : std::uint8_t { Program, StateMap };

class JsonParts {
public:
  JsonParts(JsonReader& reader, FrameForm form) : json_(reader), form_(form) {}

  Expr expr(const JsonValue& value);
  std::vector<Expr> exprs(const JsonValue& value);
  template <class N>
  std::vector<N> names(const JsonValue& value) {
    std::vector<N> all;
    json_.each(value, [&](const JsonValue& v) { all.push_back(json_.name<N>(v)); });
    return all;
  }
  Place place(const JsonValue& value);
  Instruction instruction(const JsonValue& value);
  Metadata metadata(const JsonValue& value);
  OuterFrame outer_frame(const JsonValue& value);
  std::vector<Deferred> with_block(const JsonValue& value);
  std::vector<Comment> comments(const JsonValue& value, CommentPlaces places = {});

  // Readers into a variable, for JsonReader::object.
  auto into(Var& x) {
    return [this, &x](const JsonValue& v) { x = json_.name<Var>(v); };
  }
  auto into(Label& l) {
    return [this, &l](const JsonValue& v) { l = json_.name<Label>(v); };
  }
  auto into(Expr& e) {
    return [this, &e](const JsonValue& v) { e = expr(v); };
  }
  auto into(std::optional<Expr>& e) {
    return [this, &e](const JsonValue& v) { e = expr(v); };
  }
  auto into(std::vector<Expr>& e) {
    return [this, &e](const JsonValue& v) { e = exprs(v); };
  }
  auto into(Place& p) {
    return [this, &p](const JsonValue& v) { p = place(v); };
  }
  auto into(Metadata& m) {
    return [this, &m](const JsonValue& v) { m = metadata(v); };
  }

private:
  Comment comment(const JsonValue& value, CommentPlaces places);
  std::optional<SimpleExpr> simple(const JsonMember& member);
  SimpleExpr simple(const JsonValue& value);
  auto into(SimpleExpr& e) {
    return [this, &e](const JsonValue& v) { e = simple(v); };
  }
  template <class Op>
  auto into(Op& op, Op last) {
    return [this, &op, last](const JsonValue& v) { op = spelled(v, last); };
  }
  template <class Op>
  Op spelled(const JsonValue& value, Op last);
  auto into_element_type(Kind& kind);
  auto into_varmap(std::vector<Binding>& varmap);
  auto into_unknown(std::vector<Var>& unknown);

  void read(const JsonValue& value, Decl& i);
  void read(const JsonValue& value, Drop& i);
  void read(const JsonValue& value, Assign& i);
  void read(const JsonValue& value, ArrayDecl& i);
  void read(const JsonValue& value, ArrayDef& i);
  void read(const JsonValue& value, ArrayUpdate& i);
  void read(const JsonValue& value, Branch& i);
  void read(const JsonValue& value, Goto& i);
  void read(const JsonValue& value, Print& i);
  void read(const JsonValue& value, Read& i);
  void read(const JsonValue& value, Assert& i);
  void read(const JsonValue& value, Call& i);
  void read(const JsonValue& value, Return& i);
  void read(const JsonValue& value, Stop& i);
  void read(const JsonValue& value, Assume& i);
  void read(const JsonValue& value, Anchor& i);
  void read(const JsonValue& value, GuardHint& i);
  template <class Instr>
  Instruction read_as(const JsonValue& value);
  // The first kDeferred rows are the instructions of a with block.
  struct Operation {
    std::string_view name;
    Instruction (JsonParts::*read)(const JsonValue& value);
  };
  static constexpr std::size_t kDeferred = 4;
  static const Operation kOperations[17];
  // One of the first `count` operations; empty, with a report, for anything else.
  std::optional<Instruction> operation(const JsonValue& value, std::size_t count);

  JsonReader& json_;
  FrameForm form_;
};

} // namespace sourir
