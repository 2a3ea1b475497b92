#include "sourir/syntax/text/print_state.h"

#include <array>
#include <cmath>
#include <fmt/format.h>

namespace sourir {

namespace {

template <class Enum, std::size_t N>
std::string_view at(const std::array<std::string_view, N>& spellings, Enum value) {
  return spellings[static_cast<std::size_t>(value)];
}

constexpr std::array<std::string_view, 2> kUnary{"-", "!"};
constexpr std::array<std::string_view, 2> kPaperUnary{"-", "¬"};
constexpr std::array<std::string_view, 13> kBinary{"==", "!=", "<", "<=", ">",  ">=", "+",
                                                   "-",  "*",  "/", "%",  "&&", "||"};
constexpr std::array<std::string_view, 13> kPaperBinary{"==", "≠", "<", "≤", ">",  "≥", "+",
                                                        "-",  "*", "/", "%", "&&", "||"};

} // namespace

std::string_view spelling(UnaryOp op) { return at(kUnary, op); }
std::string_view spelling(BinaryOp op) { return at(kBinary, op); }
std::string_view spelling(Kind kind) { return at(kTypeNames, kind); }

std::string print_float(double value) {
  if (std::isnan(value)) return "nan"; // whatever its sign
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".en") == std::string::npos) text += ".0";
  return text;
}

std::string print_string(std::string_view text) {
  std::string out = "\"";
  out.reserve(text.size() + 2);
  for (const char c : text) switch (c) {
    case '"': out += "\\\""; break;
    case '\\': out += "\\\\"; break;
    case '\n': out += "\\n"; break;
    case '\t': out += "\\t"; break;
    default: out += c;
    }
  return out += '"';
}

void Printer::literal(const Literal& literal) {
  match(
      literal, [&](Nil) { put("nil"); }, [&](bool b) { put(b ? "true" : "false"); },
      [&](std::int64_t n) { fmt::format_to(std::back_inserter(out_), "{}", n); },
      [&](Float f) { put(print_float(f.value)); }, [&](Str s) { put(print_string(text(s))); },
      [&](FunName f) { put("'"), put(text(f)); });
}

void Printer::simple(const SimpleExpr& expr) {
  match(
      expr, [&](Var x) { put(text(x)); }, [&](Nil n) { literal(n); }, [&](bool b) { literal(b); },
      [&](std::int64_t n) { literal(n); }, [&](Float f) { literal(f); }, [&](Str s) { literal(s); },
      [&](FunName f) { literal(f); });
}

// Between `-` and a number stands a blank: without it they are one literal.
void Printer::expr(const Expr& expr) {
  const std::string_view open = paper_ ? "" : "(", close = paper_ ? "" : ")";
  match(
      expr, [&](const SimpleExpr& e) { simple(e); },
      [&](const Unary& e) {
        put(open), put(paper_ ? at(kPaperUnary, e.op) : spelling(e.op));
        if (e.op == UnaryOp::Neg && is_number(e.operand)) put(" ");
        simple(e.operand), put(close);
      },
      [&](const Binary& e) {
        put(open), simple(e.left), put(" ");
        put(paper_ ? at(kPaperBinary, e.op) : spelling(e.op));
        put(" "), simple(e.right), put(close);
      },
      [&](const Index& e) { put(text(e.array)), put("["), simple(e.index), put("]"); },
      [&](const Length& e) { put("length("), simple(e.array), put(")"); },
      [&](const KindTest& e) {
        put("("), simple(e.operand), put(" is "), put(spelling(e.kind)), put(")");
      });
}

void Printer::list(std::span<const Expr> exprs) {
  std::string_view separator;
  for (const Expr& e : exprs) {
    put(separator), expr(e);
    separator = ", ";
  }
}

std::string print(const Literal& literal, const Names& names) {
  Printer printer(names, Notation::Prototype);
  printer.literal(literal);
  return printer.take();
}

std::string print(const SimpleExpr& expr, const Names& names) {
  Printer printer(names, Notation::Prototype);
  printer.simple(expr);
  return printer.take();
}

std::string print(const Expr& expr, const Names& names, Notation notation) {
  Printer printer(names, notation);
  printer.expr(expr);
  return printer.take();
}

} // namespace sourir
