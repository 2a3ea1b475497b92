#include "sourir/syntax/text/latex.h"

#include "sourir/syntax/exits.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdint>

namespace sourir {
namespace {

// U+00C0 to U+00FF as accents and letters that the oldest font encoding has; empty: it has none.
constexpr std::array<std::string_view, 64> kLatin1 = {
    "\\`A",  "\\'A", "\\^A", "\\~A",  "\\\"A",    "{\\AA}",   "{\\AE}",   "\\c{C}",
    "\\`E",  "\\'E", "\\^E", "\\\"E", "\\`I",     "\\'I",     "\\^I",     "\\\"I",
    "",      "\\~N", "\\`O", "\\'O",  "\\^O",     "\\~O",     "\\\"O",    "$\\times$",
    "{\\O}", "\\`U", "\\'U", "\\^U",  "\\\"U",    "\\'Y",     "",         "{\\ss}",
    "\\`a",  "\\'a", "\\^a", "\\~a",  "\\\"a",    "{\\aa}",   "{\\ae}",   "\\c{c}",
    "\\`e",  "\\'e", "\\^e", "\\\"e", "\\`{\\i}", "\\'{\\i}", "\\^{\\i}", "\\\"{\\i}",
    "",      "\\~n", "\\`o", "\\'o",  "\\^o",     "\\~o",     "\\\"o",    "$\\div$",
    "{\\o}", "\\`u", "\\'u", "\\^u",  "\\\"u",    "\\'y",     "",         "\\\"y"};

struct Symbol {
  char32_t code;
  std::string_view latex;
};
constexpr Symbol kSymbols[] = {{U'¬', "$\\neg$"},
                               {U'±', "$\\pm$"},
                               {U'·', "$\\cdot$"},
                               {U'…', "\\dots{}"},
                               {U'–', "--"},
                               {U'—', "---"},
                               {U'‘', "`"},
                               {U'’', "'"},
                               {U'“', "``"},
                               {U'”', "''"},
                               {U'←', "$\\leftarrow$"},
                               {U'→', "$\\rightarrow$"},
                               {U'⇒', "$\\Rightarrow$"},
                               {U'∧', "$\\wedge$"},
                               {U'∨', "$\\vee$"},
                               {U'∘', "$\\circ$"},
                               {U'≠', "$\\neq$"},
                               {U'≤', "$\\leq$"},
                               {U'≥', "$\\geq$"},
                               {U'\u00A0', "~"}};

std::string_view ascii(char c) {
  switch (c) {
  case '\\': return "\\textbackslash{}";
  case '{': return "\\{";
  case '}': return "\\}";
  case '$': return "\\$";
  case '&': return "\\&";
  case '#': return "\\#";
  case '_': return "\\_";
  case '%': return "\\%";
  case '^': return "\\textasciicircum{}";
  case '~': return "\\textasciitilde{}";
  case '<': return "$<$";
  case '>': return "$>$";
  case '|': return "$|$";
  case '"': return "\\texttt{\\char34}";
  case '\'': return "\\texttt{\\char39}";
  case '`': return "\\texttt{\\char96}";
  case '-': return "-{}";
  default: return {};
  }
}

std::string other(char32_t code) {
  if (code >= 0xC0 && code <= 0xFF)
    if (const std::string_view known = kLatin1[code - 0xC0]; !known.empty())
      return std::string(known);
  for (const Symbol& s : kSymbols)
    if (s.code == code) return std::string(s.latex);
  return fmt::format("\\texttt{{U+{:04X}}}", static_cast<std::uint32_t>(code));
}

// The code point at the start of valid UTF-8, removed from it.
char32_t take(std::string_view& utf8) {
  const auto byte = [&](std::size_t i) {
    return i < utf8.size() ? static_cast<unsigned char>(utf8[i]) : 0U;
  };
  const unsigned lead = byte(0);
  const std::size_t more = lead < 0xC0 ? 0 : lead < 0xE0 ? 1 : lead < 0xF0 ? 2 : 3;
  char32_t code = more == 0 ? lead : lead & (0x3FU >> more);
  for (std::size_t i = 1; i <= more; ++i) code = (code << 6) | (byte(i) & 0x3FU);
  utf8.remove_prefix(std::min(more + 1, utf8.size()));
  return code;
}

} // namespace

std::string latex_text(std::string_view utf8) {
  std::string out;
  while (!utf8.empty()) {
    const char32_t code = take(utf8);
    if (code == '\t')
      out += "~~";
    else if (code < 0x20 || code >= 0x7F)
      out += other(code);
    else if (const auto special = ascii(static_cast<char>(code)); !special.empty())
      out += special;
    else
      out += static_cast<char>(code);
  }
  return out;
}

namespace {

constexpr std::string_view kMacros = R"(%
  \providecommand\sourirfunction[1]{\par\medskip\noindent#1\par\nopagebreak}%
  \providecommand\sourirnote[2]{\par\noindent\hspace*{#1em}#2\par\nopagebreak}%
  \providecommand\sourirversion[1]{\par\smallskip\noindent\hspace*{1em}#1\par\nopagebreak}%
  \providecommand\sourirline[2]{\par\noindent\hangafter=1\hangindent=\dimexpr\sourirlabels+4em\relax
    \hspace*{2em}\makebox[\sourirlabels][l]{#1}#2\par}%
  \parskip=0pt \raggedright
)";

std::string_view symbol(BinaryOp op) {
  switch (op) {
  case BinaryOp::Eq: return "$=$";
  case BinaryOp::Ne: return "$\\neq$";
  case BinaryOp::Lt: return "$<$";
  case BinaryOp::Le: return "$\\leq$";
  case BinaryOp::Gt: return "$>$";
  case BinaryOp::Ge: return "$\\geq$";
  case BinaryOp::Add: return "$+$";
  case BinaryOp::Sub: return "$-$";
  case BinaryOp::Mul: return "$*$";
  case BinaryOp::Div: return "$/$";
  case BinaryOp::Mod: return "\\%";
  case BinaryOp::And: return "$\\wedge$";
  case BinaryOp::Or: return "$\\vee$";
  }
  return {};
}

// A number with its minus sign.
std::string number(const std::string& text) {
  return text.starts_with('-') ? "$-$" + text.substr(1) : text;
}

class LatexWriter {
public:
  explicit LatexWriter(const Names& names) : names_(names) {}

  std::string fragment(const Program& program) {
    out_ = "\\begingroup % of `sourir convert --to=latex`\n";
    out_ += fmt::format("  \\def\\sourirlabels{{{}em}}{}", label_column(program), kMacros);
    for (const Function& f : program.functions) function(f);
    return std::move(out_) + "\\endgroup\n";
  }

private:
  // --- pieces of a line
  template <class Tag>
  std::string name(Name<Tag> n) const {
    return fmt::format("\\textit{{{}}}", latex_text(names_.text(n)));
  }
  static std::string word(std::string_view keyword) {
    return fmt::format("\\textbf{{{}}}", latex_text(keyword));
  }
  template <class Items, class Show>
  static std::string list(const Items& items, Show&& show) {
    std::string text;
    for (const auto& item : items) text += (text.empty() ? "" : ", ") + show(item);
    return text;
  }
  template <class Tag>
  std::string names(const std::vector<Name<Tag>>& all) const {
    return list(all, [&](auto n) { return name(n); });
  }
  std::string exprs(const std::vector<Expr>& all) const {
    return list(all, [&](const Expr& e) { return expr(e); });
  }

  std::string simple(const SimpleExpr& e) const {
    return match(
        e, [](Nil) -> std::string { return "nil"; },
        [](bool b) -> std::string { return b ? "true" : "false"; },
        [](std::int64_t i) { return number(std::to_string(i)); },
        [](Float f) { return number(print_float(f.value)); },
        [&](Str s) { return "\\texttt{" + latex_text(print_string(names_.text(s))) + "}"; },
        [&](FunName f) { return "'" + name(f); }, [&](Var x) { return name(x); });
  }

  std::string expr(const Expr& expr) const {
    return match(
        expr, [&](const SimpleExpr& e) { return simple(e); },
        [&](const Unary& e) {
          return (e.op == UnaryOp::Neg ? "$-$" : "$\\neg$") + simple(e.operand);
        },
        [&](const Binary& e) {
          return fmt::format("{} {} {}", simple(e.left), symbol(e.op), simple(e.right));
        },
        [&](const Index& e) { return fmt::format("{}[{}]", name(e.array), simple(e.index)); },
        [&](const Length& e) { return fmt::format("{}({})", word("length"), simple(e.array)); },
        [&](const KindTest& e) {
          return fmt::format("({} {} {})", simple(e.operand), word("is"), spelling(e.kind));
        },
        [&](const ElementsTest& e) {
          return fmt::format("({} {} {}[])", simple(e.operand), word("is"), spelling(e.kind));
        });
  }

  std::string place(const Place& p) const {
    std::string text = fmt::format("{}.{}", name(p.function), name(p.version));
    if (p.label) text += "." + name(*p.label);
    if (!p.label || p.offset != 0) text += fmt::format("+{}", p.offset);
    return text;
  }

  std::string varmap(const std::vector<Binding>& bindings, const std::vector<Var>& unknown) const {
    std::string text = list(bindings, [&](const Binding& b) {
      return fmt::format("{} = {}", name(b.name), expr(b.value));
    });
    for (const Var x : unknown) text += fmt::format("{}{} = ?", text.empty() ? "" : ", ", name(x));
    return "[" + text + "]";
  }

  std::string exit(const Metadata& m) const {
    std::string text = fmt::format("{} {} {}", word("else"), place(m.frame.target),
                                   varmap(m.frame.varmap, m.frame.unknown));
    for (const OuterFrame& o : m.outer)
      text +=
          fmt::format(" {} {} {}", place(o.target), name(o.result), varmap(o.varmap, o.unknown));
    return m.with.empty() ? text : text + " " + word("with") + " \\{";
  }

  std::string deferred(const DeferredInstr& instr) const {
    return std::visit([&](const auto& i) { return code(i); }, instr);
  }

  // --- instructions
  std::string code(const Decl& i) const {
    return i.value ? fmt::format("{} {} = {}", word("var"), name(i.name), expr(*i.value))
                   : fmt::format("{} {}", word("var"), name(i.name));
  }
  std::string code(const Drop& i) const { return word("drop") + " " + name(i.name); }
  std::string code(const Assign& i) const {
    return fmt::format("{} $\\leftarrow$ {}", name(i.name), expr(i.value));
  }
  std::string code(const ArrayDecl& i) const {
    return fmt::format("{} {}[{}]", word("array"), name(i.name), expr(i.length));
  }
  std::string code(const ArrayDef& i) const {
    return fmt::format("{} {} = [{}]", word("array"), name(i.name), exprs(i.elements));
  }
  std::string code(const ArrayUpdate& i) const {
    return fmt::format("{}[{}] $\\leftarrow$ {}", name(i.array), expr(i.index), expr(i.value));
  }
  std::string code(const Branch& i) const {
    return fmt::format("{} {} {} {}", word("branch"), expr(i.condition), name(i.if_true),
                       name(i.if_false));
  }
  std::string code(const Goto& i) const { return word("goto") + " " + name(i.target); }
  std::string code(const Print& i) const { return word("print") + " " + expr(i.value); }
  std::string code(const Read& i) const { return word("read") + " " + name(i.name); }
  std::string code(const Assert& i) const { return word("assert") + " " + expr(i.condition); }
  std::string code(const Call& i) const {
    return fmt::format("{} {} = {}({})", word("call"), name(i.result), expr(i.callee),
                       exprs(i.arguments));
  }
  std::string code(const Return& i) const { return word("return") + " " + expr(i.value); }
  std::string code(const Stop& i) const {
    return i.value ? word("stop") + " " + expr(*i.value) : word("stop");
  }
  std::string code(const Assume& i) const {
    return fmt::format("{} {} {}", word("assume"), i.guards.empty() ? "true" : exprs(i.guards),
                       exit(i.exit));
  }
  std::string code(const Anchor& i) const { return word("anchor") + " " + exit(i.exit); }
  std::string code(const GuardHint& i) const { return word("guard_hint") + " " + exprs(i.guards); }

  // --- lines
  void line(std::string_view macro, std::string_view code) {
    out_ += fmt::format("\\sourir{}{{{}}}\n", macro, code);
  }
  void labelled(std::string_view label, std::string_view code) {
    out_ += fmt::format("\\sourirline{{{}}}{{{}}}\n", label, code);
  }
  static std::string shown(const Comment& comment) {
    return fmt::format("\\textsl{{\\#{}}}", latex_text(comment.text));
  }
  // show(text) for each comment on its own line.
  template <class Show>
  void own_lines(const std::vector<Comment>& comments, std::size_t slot, Show&& show) {
    for (const Comment& c : comments) {
      if (c.slot != slot || !c.own_line) continue;
      if (c.text.empty())
        out_ += "\\smallskip\n";
      else
        show(shown(c));
    }
  }
  void own_lines(const std::vector<Comment>& comments, std::size_t slot) {
    own_lines(comments, slot, [&](const std::string& text) { labelled("", text); });
  }
  void notes(const std::vector<Comment>& comments, int indent) {
    own_lines(comments, 0, [&](const std::string& text) {
      out_ += fmt::format("\\sourirnote{{{}}}{{{}}}\n", indent, text);
    });
  }
  static std::string line_end(const std::vector<Comment>& comments, std::size_t slot) {
    std::string text;
    for (const Comment& c : comments)
      if (c.slot == slot && !c.own_line) text += "\\quad " + shown(c);
    return text;
  }

  void function(const Function& f) {
    notes(f.comments, 0);
    const std::string end = line_end(f.comments, 0);
    if (!f.implicit) line("function", fmt::format("{} ({}){}", name(f.name), names(f.params), end));
    for (const Version& v : f.versions) version(v, f.versions.size() > 1);
  }

  void version(const Version& v, bool show_name) {
    notes(v.comments, 1);
    std::string header = name(v.name);
    if (v.cont)
      header += fmt::format(" {} {} [{}]", word("cont"), name(v.cont->entry), names(v.cont->names));
    if (!v.when.empty()) header += fmt::format(" {} [{}]", word("when"), exprs(v.when));
    const std::string end = line_end(v.comments, 0);
    const bool anonymous = names_.text(v.name) == "anon" && !v.cont && v.when.empty();
    if (show_name || !anonymous || !end.empty()) line("version", header + end);
    for (const Stmt& stmt : v.body) statement(stmt.leading, &stmt.instr);
    statement(v.end, nullptr);
  }

  // The last label is on the line of the instruction if nothing is in between.
  void statement(const LeadingTrivia& leading, const Instruction* instr) {
    std::string label;
    const auto here = static_cast<std::uint32_t>(leading.labels.size());
    for (std::uint32_t k = 0; k < here; ++k) {
      own_lines(leading.comments, k);
      label = name(leading.labels[k]);
      const std::string end = line_end(leading.comments, k);
      const bool split =
          std::any_of(leading.comments.begin(), leading.comments.end(),
                      [&](const Comment& c) { return c.own_line && c.slot == here; });
      if (k + 1 < here || !end.empty() || split) labelled(std::exchange(label, ""), end);
    }
    own_lines(leading.comments, here);
    std::string code;
    for (const ScopeNote& note : leading.scopes)
      code += fmt::format("\\{{{}{}\\}} ", names(note.names),
                          !note.open           ? ""
                          : note.names.empty() ? "\\dots"
                                               : ", \\dots");
    if (instr != nullptr) code += std::visit([&](const auto& i) { return this->code(i); }, *instr);
    code += line_end(leading.comments, here);
    if (!label.empty() || !code.empty()) labelled(label, code);
    if (instr != nullptr) with_block(*instr);
  }

  void with_block(const Instruction& instr) {
    const Metadata* const found = exit_of(instr);
    if (found == nullptr || found->with.empty()) return;
    const Metadata& exit = *found;
    const auto deeper = [&](const std::string& text) { labelled("", "\\quad " + text); };
    for (const Deferred& d : exit.with) {
      own_lines(d.comments, 0, deeper);
      labelled("", "\\quad " + deferred(d.instr) + line_end(d.comments, 0));
    }
    own_lines(exit.with_end, 0, deeper);
    labelled("", "\\}");
  }

  // The width of the longest label, in em.
  std::string label_column(const Program& program) const {
    std::size_t longest = 0;
    const auto look = [&](const LeadingTrivia& leading) {
      for (const Label l : leading.labels) longest = std::max(longest, names_.text(l).size());
    };
    for (const Function& f : program.functions)
      for (const Version& v : f.versions) {
        for (const Stmt& stmt : v.body) look(stmt.leading);
        look(v.end);
      }
    return longest == 0 ? "0" : fmt::format("{:.1f}", 0.6 * static_cast<double>(longest) + 0.8);
  }

  const Names& names_;
  std::string out_;
};

} // namespace

std::string to_latex(const Program& program, const Names& names, bool standalone) {
  std::string fragment = LatexWriter(names).fragment(program);
  if (!standalone) return fragment;
  return "\\documentclass{article}\n\\usepackage{amsmath,amssymb}\n\\pagestyle{empty}\n"
         "\\begin{document}\n" +
         fragment + "\\end{document}\n";
}

} // namespace sourir
