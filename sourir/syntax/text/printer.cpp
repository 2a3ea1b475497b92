#include "sourir/syntax/text/printer.h"

#include "sourir/syntax/state_map.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <unordered_map>

namespace sourir {
namespace {

using CommentSlot = std::span<const Comment* const>;

// Comments by item, in whatever order they are stored.
class CommentSlots {
public:
  CommentSlots(const std::vector<Comment>& comments, std::uint32_t last_slot);
  CommentSlot at(std::uint32_t slot) const;

private:
  std::vector<const Comment*> sorted_;
  std::uint32_t last_slot_; // later slots count as this one
};

// Appends to one text: expressions, instructions and exits, then lines, versions and functions.
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
  void line(const LeadingTrivia& leading, const Instruction* instr, std::size_t indent);
  // The labels, and the comments up to the instruction. True if the last label is on the line of
  // the instruction.
  bool labels(const LeadingTrivia& leading, const CommentSlots& comments, bool before_instruction);
  void scopes(const LeadingTrivia& leading);
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

} // namespace

void Printer::instruction(const Instruction& instr, std::size_t indent, bool comments) {
  const auto with_expr = [this](std::string_view word, const Expr& e) { put(word), expr(e); };
  match(
      instr, [&](const Decl& i) { deferred(i); },
      [&](const Drop& i) { put("drop "), put(text(i.name)); },
      [&](const Assign& i) { put(text(i.name)), with_expr(paper_ ? " ← " : " <- ", i.value); },
      [&](const ArrayDecl& i) { deferred(i); }, [&](const ArrayDef& i) { deferred(i); },
      [&](const ArrayUpdate& i) { deferred(i); }, [&](const Branch& i) { branch(i); },
      [&](const Goto& i) { put("goto "), put(text(i.target)); },
      [&](const Print& i) { with_expr("print ", i.value); },
      [&](const Read& i) { put("read "), put(text(i.name)); },
      [&](const Assert& i) { with_expr("assert ", i.condition); }, [&](const Call& i) { call(i); },
      [&](const Return& i) { with_expr("return ", i.value); },
      [&](const Stop& i) {
        put("stop");
        if (i.value) with_expr(" ", *i.value);
      },
      [&](const Assume& i) {
        put("assume "), guards(i.guards), put(" else ");
        exit(i.exit, indent, comments);
      },
      [&](const Anchor& i) { put("anchor else "), exit(i.exit, indent, comments); },
      [&](const GuardHint& i) { put("guard_hint "), list(i.guards); });
}

void Printer::branch(const Branch& branch) {
  const std::string_view before = paper_ ? " " : " $";
  put("branch "), expr(branch.condition);
  put(before), put(text(branch.if_true)), put(before), put(text(branch.if_false));
}

void Printer::call(const Call& call) {
  const bool operation = paper_ && (std::holds_alternative<Unary>(call.callee) ||
                                    std::holds_alternative<Binary>(call.callee));
  put("call "), put(text(call.result)), put(" = ");
  put(operation ? "(" : ""), expr(call.callee), put(operation ? ")" : "");
  put("("), list(call.arguments), put(")");
}

// The paper writes the empty list as `true`, so a list of only `true` gets brackets.
void Printer::guards(std::span<const Expr> guards) {
  const bool lone_true = guards.size() == 1 && guards[0] == Expr(SimpleExpr(true));
  if (paper_ && guards.empty()) return put("true");
  if (paper_ && !lone_true) return list(guards);
  put("["), list(guards), put("]");
}

void Printer::deferred(const Decl& i) {
  put("var "), put(text(i.name));
  if (i.value) put(" = "), expr(*i.value);
}
void Printer::deferred(const ArrayDecl& i) {
  put("array "), put(text(i.name)), put("["), expr(i.length), put("]");
}
void Printer::deferred(const ArrayDef& i) {
  put("array "), put(text(i.name)), put(" = ["), list(i.elements), put("]");
}
void Printer::deferred(const ArrayUpdate& i) {
  put(text(i.array)), put("["), expr(i.index), put(paper_ ? "] ← " : "] <- "), expr(i.value);
}

void Printer::exit(const Metadata& exit, std::size_t indent, bool comments) {
  target(exit.frame.target);
  varmap(exit.frame.varmap, exit.frame.unknown, nullptr);
  for (const OuterFrame& outer : exit.outer) {
    put(paper_ ? " " : ", "), target(outer.target);
    if (paper_) put(" "), put(text(outer.result));
    varmap(outer.varmap, outer.unknown, paper_ ? nullptr : &outer.result);
  }
  if (!exit.with.empty() || !exit.with_end.empty()) with_block(exit, indent, comments);
}

void Printer::target(const Place& place) {
  if (paper_) return put(sourir::print(place, names_));
  put("("), put(text(place.function)), put(", "), put(text(place.version)), put(", ");
  if (place.label) put(text(*place.label));
  if (place.offset != 0 || !place.label) put(fmt::format("+{}", place.offset));
  put(")");
}

void Printer::varmap(std::span<const Binding> bindings, std::span<const Var> unknown,
                     const Var* result) {
  const std::string_view var = paper_ ? "" : "var ";
  std::string_view separator = " [";
  const auto name = [&](Var x) {
    put(separator), put(var), put(text(x)), put(" = ");
    separator = ", ";
  };
  if (result != nullptr) name(*result), put("$");
  for (const Binding& b : bindings) name(b.name), expr(b.value);
  for (const Var x : unknown) name(x), put("?");
  put(separator == " [" ? " []" : "]");
}

void Printer::with_block(const Metadata& exit, std::size_t indent, bool comments) {
  constexpr std::size_t kDeeper = 2;
  const std::vector<Comment> none;
  put(" with {"), end_line();
  quiet_ = true;
  for (const Deferred& d : exit.with) {
    const CommentSlots slots(comments ? d.comments : none, 0);
    own_lines(slots.at(0), indent + kDeeper);
    out_.append(indent + kDeeper, ' ');
    match(d.instr, [&](const auto& i) { deferred(i); });
    line_ends(slots.at(0));
    end_line();
  }
  std::span<const Comment> rest(exit.with_end);
  while (!rest.empty() && rest.back().text.empty()) rest = rest.first(rest.size() - 1);
  if (comments)
    for (const Comment& comment : rest) own_line(comment, indent + kDeeper);
  out_.append(indent, ' ');
  put("}");
}

std::string print(const Instruction& instr, const Names& names, Notation notation) {
  Printer printer(names, notation);
  printer.instruction(instr, 0, false);
  return printer.take();
}

std::string print_line(const Instruction& instr, const Names& names) {
  const std::string text = print(instr, names);
  const std::size_t end = text.find('\n');
  return end == std::string::npos ? text : text.substr(0, end) + " ... }";
}

std::string print(const Metadata& exit, const Names& names, Notation notation) {
  Printer printer(names, notation);
  printer.exit(exit, 0, false);
  return printer.take();
}

namespace {

template <class Enum, std::size_t N>
std::string_view at(const std::array<std::string_view, N>& spellings, Enum value) {
  return spellings[static_cast<std::size_t>(value)];
}

constexpr std::array<std::string_view, 2> kPaperUnary{"-", "¬"};
constexpr std::array<std::string_view, 13> kPaperBinary{"==", "≠", "<", "≤", ">",  "≥", "+",
                                                        "-",  "*", "/", "%", "&&", "||"};

} // namespace

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

// A blank separates `-` from a number: without it they are one literal.
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
      },
      [&](const ElementsTest& e) {
        put("("), simple(e.operand), put(" is "), put(spelling(e.kind)), put("[])");
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

namespace {

constexpr std::size_t kIndent = 2;     // of instructions, where labels have lines of their own
constexpr std::size_t kMaxGutter = 16; // a longer label gets a line of its own

bool needs_header(const Function& function, const Names& names) {
  const Version& version = function.versions.front();
  return function.versions.size() > 1 || names.text(version.name) != "anon" || version.cont ||
         !version.when.empty() || !version.comments.empty();
}

// Whether a main can be printed as the leading lines of the file.
bool goes_without_header(const Function& function, const Names& names) {
  if (!function.implicit || names.text(function.name) != "main" || !function.params.empty() ||
      !function.comments.empty() || needs_header(function, names))
    return false;
  const Version& version = function.versions.front();
  return !version.body.empty() || !version.end.labels.empty() || !version.end.scopes.empty();
}

bool has(CommentSlot comments, bool own_line) {
  return std::any_of(comments.begin(), comments.end(),
                     [own_line](const Comment* c) { return c->own_line == own_line; });
}

std::uint32_t label_count(const LeadingTrivia& leading) {
  return static_cast<std::uint32_t>(leading.labels.size());
}

bool has_labels(const Version& version) {
  return !version.end.labels.empty() ||
         std::any_of(version.body.begin(), version.body.end(),
                     [](const Stmt& stmt) { return !stmt.leading.labels.empty(); });
}

} // namespace

void Printer::program(const Program& program) {
  for (const Function& f : program.functions) function(f, &f == &program.functions.front());
  while (out_.ends_with("\n\n")) out_.pop_back();
}

void Printer::function(const Function& function, bool first) {
  if (function.versions.empty()) return;
  const bool script = first && goes_without_header(function, names_);
  if (!script) {
    const CommentSlots comments(function.comments, 0);
    own_lines(comments.at(0), 0);
    put("function "), put(text(function.name)), put("("), params(function), put(")");
    line_ends(comments.at(0)), end_line();
  }
  const bool headers = needs_header(function, names_);
  for (const Version& v : function.versions) {
    if (headers) version_header(v);
    gutter_ = script && !has_labels(v) ? 0 : kIndent;
    version(v, script);
  }
}

void Printer::params(const Function& function) {
  std::string_view separator;
  for (const Var x : function.params) {
    put(separator), put(paper_ ? "" : "var "), put(text(x));
    separator = ", ";
  }
}

void Printer::version(const Version& version, bool script) {
  quiet_ = true;
  uses_.clear();
  if (paper_)
    find_gutter(version);
  else
    find_sigils(version);
  bool first = true;
  for (const Stmt& stmt : version.body) {
    line(stmt.leading, &stmt.instr, first && script ? 0 : gutter_);
    first = false;
  }
  line(version.end, nullptr, 0);
  quiet_ = out_.empty() || out_.ends_with("\n\n"); // the body may have been empty
}

void Printer::version_header(const Version& version) {
  const CommentSlots comments(version.comments, 0);
  own_lines(comments.at(0), 0);
  put("version "), put(text(version.name));
  if (version.cont) {
    put(" cont "), put(text(version.cont->entry)), put(" [");
    std::string_view separator;
    for (const Var x : version.cont->names) {
      put(separator), put(text(x));
      separator = ", ";
    }
    put("]");
  }
  if (!version.when.empty()) put(" when ["), list(version.when), put("]");
  line_ends(comments.at(0)), end_line();
}

void Printer::line(const LeadingTrivia& leading, const Instruction* instr, std::size_t indent) {
  const CommentSlots slots(leading.comments, label_count(leading));
  const CommentSlot comments = slots.at(label_count(leading));
  const bool same_line = labels(leading, slots, instr != nullptr && leading.scopes.empty());
  if (!same_line) own_lines(comments, indent);
  if (instr == nullptr && leading.scopes.empty()) {
    for (const Comment* comment : comments)
      if (!comment->own_line) own_line(*comment, indent);
    return;
  }
  if (!same_line) out_.append(gutter_, ' ');
  scopes(leading);
  if (instr != nullptr) {
    if (!leading.scopes.empty()) put(" ");
    instruction(*instr, gutter_, true);
  }
  line_ends(comments);
  end_line();
}

bool Printer::labels(const LeadingTrivia& leading, const CommentSlots& comments,
                     bool before_instruction) {
  const std::uint32_t count = label_count(leading);
  for (std::uint32_t k = 0; k < count; ++k) {
    const CommentSlot here = comments.at(k);
    own_lines(here, 0);
    label(leading.labels[k]);
    const std::size_t width = text(leading.labels[k]).size() + 2;
    if (paper_ && before_instruction && k + 1 == count && width <= gutter_ && !has(here, false) &&
        !has(comments.at(count), true)) {
      out_.append(gutter_ - width + 1, ' ');
      return true;
    }
    line_ends(here);
    end_line();
  }
  return false;
}

void Printer::label(Label label) {
  if (!paper_) {
    const auto use = uses_.find(label);
    const std::uint8_t bits = use == uses_.end() ? 0 : use->second;
    put(bits == 0 ? ">" : bits == kBranch ? "$" : "");
  }
  put(text(label)), put(":");
}

void Printer::scopes(const LeadingTrivia& leading) {
  std::string_view before;
  for (const ScopeNote& note : leading.scopes) {
    put(before), put("{");
    std::string_view separator;
    for (const Var x : note.names) {
      put(separator), put(text(x));
      separator = ", ";
    }
    if (note.open) put(separator), put("...");
    put("}");
    before = " ";
  }
}

void Printer::find_sigils(const Version& version) {
  for (const Stmt& stmt : version.body) {
    if (const auto* branch = std::get_if<Branch>(&stmt.instr)) {
      uses_[branch->if_true] |= kBranch;
      uses_[branch->if_false] |= kBranch;
    } else if (const auto* go = std::get_if<Goto>(&stmt.instr)) {
      uses_[go->target] |= kGoto;
    }
  }
}

void Printer::find_gutter(const Version& version) {
  for (const Stmt& stmt : version.body) {
    if (stmt.leading.labels.empty()) continue;
    const std::size_t width = text(stmt.leading.labels.back()).size() + 2;
    if (width <= kMaxGutter) gutter_ = std::max(gutter_, width);
  }
}

CommentSlots::CommentSlots(const std::vector<Comment>& comments, std::uint32_t last_slot)
    : last_slot_(last_slot) {
  sorted_.reserve(comments.size());
  for (const Comment& comment : comments) sorted_.push_back(&comment);
  // All point into one vector, so that addresses keep the order of equals.
  const auto before = [](const Comment* a, const Comment* b) {
    return a->slot != b->slot ? a->slot < b->slot : a < b;
  };
  if (!std::is_sorted(sorted_.begin(), sorted_.end(), before))
    std::sort(sorted_.begin(), sorted_.end(), before);
}

CommentSlot CommentSlots::at(std::uint32_t slot) const {
  const auto before = [](const Comment* comment, std::uint32_t s) { return comment->slot < s; };
  const auto first = std::lower_bound(sorted_.begin(), sorted_.end(), slot, before);
  const auto last =
      slot >= last_slot_ ? sorted_.end() : std::lower_bound(first, sorted_.end(), slot + 1, before);
  return {first, last};
}

void Printer::own_lines(CommentSlot comments, std::size_t indent) {
  for (const Comment* comment : comments)
    if (comment->own_line) own_line(*comment, indent);
}

void Printer::own_line(const Comment& comment, std::size_t indent) {
  if (comment.own_line && comment.text.empty()) {
    if (!quiet_) out_ += '\n';
    quiet_ = true;
    return;
  }
  out_.append(indent, ' ');
  comment_text(comment);
  end_line();
}

void Printer::line_ends(CommentSlot comments) {
  for (const Comment* comment : comments)
    if (!comment->own_line) put(" "), comment_text(*comment);
}

// A comment is one line: line feeds in it become blanks.
void Printer::comment_text(const Comment& comment) {
  put("#");
  for (const char c : comment.text.substr(0, comment.text.find_last_not_of(" \t\r\v\f") + 1))
    out_ += c == '\n' ? ' ' : c;
}

std::string print(const Program& program, const Names& names, Notation notation) {
  Printer printer(names, notation);
  printer.program(program);
  return printer.take();
}

// --- state maps

namespace {

// "x = $ in (F, V, L) [...], ..."
std::string print(const CallSiteFrames& site, const Names& names) {
  std::string out;
  for (std::size_t i = 0; i < site.frames.size(); ++i) {
    const OuterFrame& f = site.frames[i];
    const bool last = i + 1 == site.frames.size();
    const Metadata alone{{f.target, f.varmap, f.unknown}, {}, {}, {}};
    const Metadata with_block{alone.frame, {}, site.with, {}};
    out += fmt::format("{} = $ in {}{}", names.text(f.result),
                       print(last ? with_block : alone, names), last ? "" : ", ");
  }
  return out;
}

} // namespace

std::string print(const StateMap& map, const Names& names) {
  std::string out;
  for (const VersionMap& v : map.versions) {
    const auto name = fmt::format("{}.{}", names.text(v.function), names.text(v.version));
    if (v.identity)
      out += fmt::format("{} = {}.{}\n", name, names.text(v.identity->function),
                         names.text(v.identity->version));
    else
      out += fmt::format("{} = ?\n", name);
    for (const auto& [at, state] : v.states)
      out += fmt::format("{}+{} -> {}\n", name, at, state ? print(*state, names) : "?");
    for (const auto& [at, site] : v.call_sites)
      out += fmt::format("{}+{} waits -> {}\n", name, at, site ? print(*site, names) : "?");
  }
  return out;
}

} // namespace sourir
