#include "sourir/syntax/json/json_parts.h"

#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"

#include <map>

namespace sourir {
namespace {

// A member that has been read already: the key that selects the form of a value.
JsonPart<void (*)(const JsonValue&)> tag(std::string_view key) {
  return {key, true, [](const JsonValue&) {}};
}

// Without blanks at its end, as the parser reads it; a comment of blanks only is " ", since an
// empty text is a blank line.
std::string as_in_text(std::string_view comment) {
  const auto end = comment.find_last_not_of(" \t\r\v\f") + 1;
  return end == 0 && !comment.empty() ? " " : std::string(comment.substr(0, end));
}

} // namespace

std::optional<SimpleExpr> JsonParts::simple(const JsonMember& member) {
  const JsonValue& value = member.value;
  if (member.key == "var") return json_.name<Var>(value);
  if (member.key == "fun") return json_.name<FunName>(value);
  if (member.key == "string") return json_.names().intern<Str>(json_.text(value));
  if (member.key == "bool") return json_.flag(value);
  if (member.key == "nil") {
    if (!std::holds_alternative<JsonNull>(value.data)) json_.expected(value, "null");
    return Nil{};
  }
  if (member.key != "int" && member.key != "float") return std::nullopt;
  const auto* text = std::get_if<std::string>(&value.data);
  const bool blank = text == nullptr || text->find_first_of(" \t\r\n") != std::string::npos;
  Literal literal = Nil{};
  if (!blank) literal = parse_literal(*text, json_.names()).value_or(Nil{});
  if (member.key == "int") {
    if (const auto* i = std::get_if<std::int64_t>(&literal)) return *i;
    json_.expected(value, "an integer of 64 bits as a string");
    return std::int64_t{0};
  }
  if (const auto* f = std::get_if<Float>(&literal)) return *f;
  json_.expected(value, "a finite float with a point or an exponent, as a string");
  return Float{};
}

SimpleExpr JsonParts::simple(const JsonValue& value) {
  const auto* object = std::get_if<JsonObject>(&value.data);
  if (object != nullptr && object->size() == 1)
    if (const auto e = simple(object->front())) return *e;
  json_.expected(value,
                 "a variable or a literal: {\"var\": ...}, {\"int\": ...}, {\"float\": ...}, "
                 "{\"bool\": ...}, {\"nil\": null}, {\"string\": ...} or {\"fun\": ...}");
  return Nil{};
}

// The operator or type from 0 to `last` with this spelling.
template <class Op>
Op JsonParts::spelled(const JsonValue& value, Op last) {
  const std::string_view text = json_.text(value);
  for (int i = 0; i <= static_cast<int>(last); ++i)
    if (spelling(static_cast<Op>(i)) == text) return static_cast<Op>(i);
  if (std::holds_alternative<std::string>(value.data)) json_.expected(value, "an operator or type");
  return Op{};
}

auto JsonParts::into_element_type(Kind& kind) {
  return [this, &kind](const JsonValue& v) {
    kind = spelled(v, Kind::Array);
    if (!kElementTypes.has(kind)) json_.expected(v, "int, float or bool");
  };
}

Expr JsonParts::expr(const JsonValue& value) {
  const auto has = [&](std::string_view key) { return JsonReader::find(value, key) != nullptr; };
  if (has("binary")) {
    Binary e{};
    json_.object(value, needs("binary", into(e.op, BinaryOp::Or)), needs("left", into(e.left)),
                 needs("right", into(e.right)));
    return e;
  }
  if (has("unary")) {
    Unary e{};
    json_.object(value, needs("unary", into(e.op, UnaryOp::Not)),
                 needs("operand", into(e.operand)));
    return e;
  }
  if (has("index")) {
    Index e{};
    json_.object(value, needs("array", into(e.array)), needs("index", into(e.index)));
    return e;
  }
  if (has("length")) {
    Length e{};
    json_.object(value, needs("length", into(e.array)));
    return e;
  }
  if (has("is")) {
    KindTest e{};
    json_.object(value, needs("operand", into(e.operand)), needs("is", into(e.kind, Kind::Array)));
    return e;
  }
  if (has("elements")) {
    ElementsTest e{};
    json_.object(value, needs("operand", into(e.operand)),
                 needs("elements", into_element_type(e.kind)));
    return e;
  }
  return simple(value);
}

std::vector<Expr> JsonParts::exprs(const JsonValue& value) {
  std::vector<Expr> all;
  json_.each(value, [&](const JsonValue& v) { all.push_back(expr(v)); });
  return all;
}

Place JsonParts::place(const JsonValue& value) {
  const auto* text = std::get_if<std::string>(&value.data);
  const auto place = text != nullptr ? parse_place(*text, json_.names()) : std::nullopt;
  const bool in_form =
      place && (form_ == FrameForm::StateMap || (place->label && place->offset == 0));
  if (in_form && print(*place, json_.names()) == *text) return *place;
  json_.expected(value, form_ == FrameForm::Program ? "a place F.V.L" : "a place F.V.L+n or F.V+n");
  return {};
}

// Several at the end of one line, as passes make them that drop labels, are one comment there, as
// in the text.
std::vector<Comment> JsonParts::comments(const JsonValue& value, CommentPlaces places) {
  std::multimap<std::pair<std::uint32_t, bool>, Comment> sorted; // by slot, the line's end last
  json_.each(value, [&](const JsonValue& v) {
    const Comment c = comment(v, places);
    if (const auto same = sorted.find({c.slot, true}); !c.own_line && same != sorted.end())
      same->second.text.append(" #").append(c.text);
    else
      sorted.emplace(std::pair(c.slot, !c.own_line), c);
  });
  std::vector<Comment> all;
  for (auto& [order, c] : sorted) all.push_back(std::move(c));
  return all;
}

Comment JsonParts::comment(const JsonValue& value, CommentPlaces places) {
  Comment c;
  const auto slot = may_have("slot", [&](const JsonValue& v) {
    c.slot = json_.number(v);
    if (c.slot > places.last_slot)
      json_.expected(v, places.last_slot == 0 ? "the slot 0" : "a slot that is there");
  });
  const auto own_line = may_have("own_line", [&](const JsonValue& v) {
    c.own_line = json_.flag(v);
    if (!c.own_line && c.slot >= places.lines) json_.expected(v, "a comment on its own line");
  });
  const auto text = needs("text", [&](const JsonValue& v) {
    c.text = as_in_text(json_.text(v));
    if (c.text.find('\n') != std::string::npos) json_.expected(v, "a comment of one line");
  });
  json_.object(value, slot, own_line, text);
  return c;
}

auto JsonParts::into_varmap(std::vector<Binding>& varmap) {
  return [this, &varmap](const JsonValue& value) {
    json_.each(value, [&](const JsonValue& v) {
      Binding& b = varmap.emplace_back();
      json_.object(v, needs("name", into(b.name)), needs("value", into(b.value)));
    });
  };
}

auto JsonParts::into_unknown(std::vector<Var>& unknown) {
  return [this, &unknown](const JsonValue& value) {
    unknown = names<Var>(value);
    if (form_ == FrameForm::Program && !unknown.empty())
      json_.expected(value, "no unknown variables in a program");
  };
}

OuterFrame JsonParts::outer_frame(const JsonValue& value) {
  OuterFrame frame;
  json_.object(value, needs("target", into(frame.target)), needs("result", into(frame.result)),
               needs("varmap", into_varmap(frame.varmap)),
               may_have("unknown", into_unknown(frame.unknown)));
  return frame;
}

std::vector<Deferred> JsonParts::with_block(const JsonValue& value) {
  std::vector<Deferred> block;
  json_.each(value, [&](const JsonValue& v) {
    Deferred& d = block.emplace_back();
    const auto instr = [&](const JsonValue& i) {
      const auto read = operation(i, kDeferred);
      if (!read) return;
      std::visit(
          [&](const auto& one) {
            if constexpr (std::is_convertible_v<decltype(one), DeferredInstr>) d.instr = one;
          },
          *read);
    };
    json_.object(v, needs("instr", instr),
                 may_have("comments", [&](const JsonValue& c) { d.comments = comments(c); }));
  });
  return block;
}

Metadata JsonParts::metadata(const JsonValue& value) {
  Metadata m;
  const auto frame = [&](const JsonValue& v) {
    json_.object(v, needs("target", into(m.frame.target)),
                 needs("varmap", into_varmap(m.frame.varmap)),
                 may_have("unknown", into_unknown(m.frame.unknown)));
  };
  const auto outer = [&](const JsonValue& v) {
    json_.each(v, [&](const JsonValue& o) { m.outer.push_back(outer_frame(o)); });
  };
  const auto with = [&](const JsonValue& v) { m.with = with_block(v); };
  const auto with_end = [&](const JsonValue& v) {
    m.with_end = comments(v, {.last_slot = 0, .lines = 0});
  };
  json_.object(value, needs("frame", frame), may_have("outer", outer), may_have("with", with),
               may_have("with_end", with_end));
  return m;
}

void JsonParts::read(const JsonValue& v, Decl& i) {
  json_.object(v, tag("op"), needs("name", into(i.name)), may_have("value", into(i.value)));
}
void JsonParts::read(const JsonValue& v, Drop& i) {
  json_.object(v, tag("op"), needs("name", into(i.name)));
}
void JsonParts::read(const JsonValue& v, Assign& i) {
  json_.object(v, tag("op"), needs("name", into(i.name)), needs("value", into(i.value)));
}
void JsonParts::read(const JsonValue& v, ArrayDecl& i) {
  json_.object(v, tag("op"), needs("name", into(i.name)), needs("length", into(i.length)));
}
void JsonParts::read(const JsonValue& v, ArrayDef& i) {
  json_.object(v, tag("op"), needs("name", into(i.name)), needs("elements", into(i.elements)));
}
void JsonParts::read(const JsonValue& v, ArrayUpdate& i) {
  json_.object(v, tag("op"), needs("array", into(i.array)), needs("index", into(i.index)),
               needs("value", into(i.value)));
}
void JsonParts::read(const JsonValue& v, Branch& i) {
  json_.object(v, tag("op"), needs("condition", into(i.condition)),
               needs("if_true", into(i.if_true)), needs("if_false", into(i.if_false)));
}
void JsonParts::read(const JsonValue& v, Goto& i) {
  json_.object(v, tag("op"), needs("target", into(i.target)));
}
void JsonParts::read(const JsonValue& v, Print& i) {
  json_.object(v, tag("op"), needs("value", into(i.value)));
}
void JsonParts::read(const JsonValue& v, Read& i) {
  json_.object(v, tag("op"), needs("name", into(i.name)));
}
void JsonParts::read(const JsonValue& v, Assert& i) {
  json_.object(v, tag("op"), needs("condition", into(i.condition)));
}
void JsonParts::read(const JsonValue& v, Call& i) {
  json_.object(v, tag("op"), needs("result", into(i.result)), needs("callee", into(i.callee)),
               needs("arguments", into(i.arguments)));
}
void JsonParts::read(const JsonValue& v, Return& i) {
  json_.object(v, tag("op"), needs("value", into(i.value)));
}
void JsonParts::read(const JsonValue& v, Stop& i) {
  json_.object(v, tag("op"), may_have("value", into(i.value)));
}
void JsonParts::read(const JsonValue& v, Assume& i) {
  json_.object(v, tag("op"), needs("guards", into(i.guards)), needs("exit", into(i.exit)));
}
void JsonParts::read(const JsonValue& v, Anchor& i) {
  json_.object(v, tag("op"), needs("exit", into(i.exit)));
}
void JsonParts::read(const JsonValue& v, GuardHint& i) {
  json_.object(v, tag("op"), needs("guards", into(i.guards)));
}

template <class Instr>
Instruction JsonParts::read_as(const JsonValue& value) {
  Instr instr;
  read(value, instr);
  return instr;
}

const JsonParts::Operation JsonParts::kOperations[17] = {
    {"var", &JsonParts::read_as<Decl>},
    {"array", &JsonParts::read_as<ArrayDecl>},
    {"array_of", &JsonParts::read_as<ArrayDef>},
    {"store", &JsonParts::read_as<ArrayUpdate>},
    {"drop", &JsonParts::read_as<Drop>},
    {"assign", &JsonParts::read_as<Assign>},
    {"branch", &JsonParts::read_as<Branch>},
    {"goto", &JsonParts::read_as<Goto>},
    {"print", &JsonParts::read_as<Print>},
    {"read", &JsonParts::read_as<Read>},
    {"assert", &JsonParts::read_as<Assert>},
    {"call", &JsonParts::read_as<Call>},
    {"return", &JsonParts::read_as<Return>},
    {"stop", &JsonParts::read_as<Stop>},
    {"assume", &JsonParts::read_as<Assume>},
    {"anchor", &JsonParts::read_as<Anchor>},
    {"guard_hint", &JsonParts::read_as<GuardHint>},
};

std::optional<Instruction> JsonParts::operation(const JsonValue& value, std::size_t count) {
  const JsonValue* const op = JsonReader::find(value, "op");
  if (op == nullptr) {
    json_.expected(value, "an instruction: an object with the key \"op\"");
    return std::nullopt;
  }
  const auto* const row = json_.within("op", [&]() -> const Operation* {
    const std::string_view name = json_.text(*op);
    for (std::size_t k = 0; k < count; ++k)
      if (kOperations[k].name == name) return &kOperations[k];
    if (std::holds_alternative<std::string>(op->data))
      json_.expected(*op, count == kDeferred ? "what a with block may hold" : "an operation");
    return nullptr;
  });
  if (row == nullptr) return std::nullopt;
  return (this->*row->read)(value);
}

Instruction JsonParts::instruction(const JsonValue& value) {
  return operation(value, std::size(kOperations)).value_or(Stop{});
}

} // namespace sourir
