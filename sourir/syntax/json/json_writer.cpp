#include "sourir/syntax/json/json_writer.h"

#include "sourir/syntax/text/printer.h"

#include <nlohmann/json.hpp>

namespace sourir {

void JsonText::separate() {
  if (comma_) out_ += line_ ? "," : ", ";
  if (line_) out_.append("\n").append(indent_, ' ');
  comma_ = line_ = false;
}

JsonText& JsonText::open(char bracket) {
  separate();
  out_ += bracket;
  return *this;
}

JsonText& JsonText::close(char bracket) {
  comma_ = false;
  separate();
  out_ += bracket;
  comma_ = true;
  return *this;
}

JsonText& JsonText::key(std::string_view name) {
  separate();
  out_.append("\"").append(name).append("\": ");
  return *this;
}

JsonText& JsonText::text(std::string_view value) {
  separate();
  const auto plain = [](char c) { return c >= ' ' && c < '\x7f' && c != '"' && c != '\\'; };
  if (std::all_of(value.begin(), value.end(), plain))
    out_.append("\"").append(value).append("\"");
  else // never throws: bytes that are not UTF-8 are replaced
    out_ += nlohmann::json(value).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  comma_ = true;
  return *this;
}

JsonText& JsonText::number(std::uint64_t value) {
  separate();
  out_ += std::to_string(value);
  comma_ = true;
  return *this;
}

JsonText& JsonText::flag(bool value) {
  separate();
  out_ += value ? "true" : "false";
  comma_ = true;
  return *this;
}

JsonText& JsonText::null() {
  separate();
  out_ += "null";
  comma_ = true;
  return *this;
}

JsonText& JsonText::line(std::size_t indent) {
  line_ = true;
  indent_ = indent;
  return *this;
}

void JsonWriter::place(const Place& place) { out_.text(print(place, names_)); }

void JsonWriter::simple(const SimpleExpr& expr) {
  out_.open('{');
  match(
      expr, [&](Nil) { out_.key("nil").null(); }, [&](bool b) { out_.key("bool").flag(b); },
      [&](std::int64_t i) { out_.key("int").text(std::to_string(i)); },
      [&](Float f) { out_.key("float").text(print_float(f.value)); },
      [&](Str s) { value("string", s); }, [&](FunName f) { value("fun", f); },
      [&](Var x) { value("var", x); });
  out_.close('}');
}

void JsonWriter::expr(const Expr& expr) {
  const auto operand = [&](std::string_view key, const SimpleExpr& e) { out_.key(key), simple(e); };
  if (const auto* e = std::get_if<SimpleExpr>(&expr)) return simple(*e);
  out_.open('{');
  match(
      expr, [](const SimpleExpr&) {},
      [&](const Unary& e) {
        out_.key("unary").text(spelling(e.op)), operand("operand", e.operand);
      },
      [&](const Binary& e) {
        out_.key("binary").text(spelling(e.op));
        operand("left", e.left), operand("right", e.right);
      },
      [&](const Index& e) { value("array", e.array), operand("index", e.index); },
      [&](const Length& e) { operand("length", e.array); },
      [&](const KindTest& e) {
        operand("operand", e.operand), out_.key("is").text(spelling(e.kind));
      },
      [&](const ElementsTest& e) {
        operand("operand", e.operand), out_.key("elements").text(spelling(e.kind));
      });
  out_.close('}');
}

void JsonWriter::exprs(std::string_view key, const std::vector<Expr>& exprs) {
  out_.key(key);
  list(exprs, [&](const Expr& e) { expr(e); });
}

void JsonWriter::comments(std::string_view key, const std::vector<Comment>& comments) {
  list_unless_empty(key, comments, [&](const Comment& c) {
    out_.open('{');
    if (c.slot != 0) out_.key("slot").number(c.slot);
    if (!c.own_line) out_.key("own_line").flag(false);
    out_.key("text").text(c.text).close('}');
  });
}

void JsonWriter::varmap(const std::vector<Binding>& varmap, const std::vector<Var>& unknown) {
  out_.key("varmap");
  list(varmap, [&](const Binding& b) {
    out_.open('{'), value("name", b.name), value("value", b.value), out_.close('}');
  });
  list_unless_empty("unknown", unknown, [&](Var x) { name(x); });
}

void JsonWriter::outer_frame(const OuterFrame& frame) {
  out_.open('{').key("target"), place(frame.target);
  value("result", frame.result), varmap(frame.varmap, frame.unknown);
  out_.close('}');
}

void JsonWriter::with_block(const std::vector<Deferred>& block) {
  list_unless_empty("with", block, [&](const Deferred& d) {
    out_.open('{').key("instr").open('{');
    std::visit([&](const auto& i) { members(i); }, d.instr);
    out_.close('}');
    comments("comments", d.comments);
    out_.close('}');
  });
}

void JsonWriter::metadata(const Metadata& metadata) {
  out_.open('{').key("frame").open('{').key("target"), place(metadata.frame.target);
  varmap(metadata.frame.varmap, metadata.frame.unknown), out_.close('}');
  list_unless_empty("outer", metadata.outer, [&](const OuterFrame& f) { outer_frame(f); });
  with_block(metadata.with);
  comments("with_end", metadata.with_end);
  out_.close('}');
}

void JsonWriter::instruction(const Instruction& instruction) {
  out_.open('{');
  std::visit([&](const auto& i) { members(i); }, instruction);
  out_.close('}');
}

void JsonWriter::members(const Decl& i) {
  operation("var"), value("name", i.name);
  if (i.value) value("value", *i.value);
}
void JsonWriter::members(const Drop& i) { operation("drop"), value("name", i.name); }
void JsonWriter::members(const Assign& i) {
  operation("assign"), value("name", i.name), value("value", i.value);
}
void JsonWriter::members(const ArrayDecl& i) {
  operation("array"), value("name", i.name), value("length", i.length);
}
void JsonWriter::members(const ArrayDef& i) {
  operation("array_of"), value("name", i.name), exprs("elements", i.elements);
}
void JsonWriter::members(const ArrayUpdate& i) {
  operation("store"), value("array", i.array), value("index", i.index), value("value", i.value);
}
void JsonWriter::members(const Branch& i) {
  operation("branch"), value("condition", i.condition);
  value("if_true", i.if_true), value("if_false", i.if_false);
}
void JsonWriter::members(const Goto& i) { operation("goto"), value("target", i.target); }
void JsonWriter::members(const Print& i) { operation("print"), value("value", i.value); }
void JsonWriter::members(const Read& i) { operation("read"), value("name", i.name); }
void JsonWriter::members(const Assert& i) { operation("assert"), value("condition", i.condition); }
void JsonWriter::members(const Call& i) {
  operation("call"), value("result", i.result), value("callee", i.callee);
  exprs("arguments", i.arguments);
}
void JsonWriter::members(const Return& i) { operation("return"), value("value", i.value); }
void JsonWriter::members(const Stop& i) {
  operation("stop");
  if (i.value) value("value", *i.value);
}
void JsonWriter::members(const Assume& i) {
  operation("assume"), exprs("guards", i.guards), out_.key("exit"), metadata(i.exit);
}
void JsonWriter::members(const Anchor& i) {
  operation("anchor"), out_.key("exit"), metadata(i.exit);
}
void JsonWriter::members(const GuardHint& i) { operation("guard_hint"), exprs("guards", i.guards); }

} // namespace sourir
