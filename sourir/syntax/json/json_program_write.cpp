#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/json/json_writer.h"
#include "sourir/syntax/traverse.h"

namespace sourir {
namespace {

class ProgramWriter {
public:
  explicit ProgramWriter(const Names& names) : json_(names) {}

  std::string write(const Program& program, const SourceMap& spans) {
    out().open('{').key("format").text("sourir-program").key("version").number(1);
    out().key("functions").open('[');
    for (std::size_t f = 0; f < program.functions.size(); ++f)
      function(program.functions[f], f < spans.functions.size() ? &spans.functions[f] : nullptr);
    out().line(0).close(']').close('}');
    return out().take() + "\n";
  }

private:
  JsonText& out() { return json_.out(); }

  void span(Span span) { out().number(span.begin).number(span.end); }
  void span(std::string_view key, Span where) {
    out().key(key).open('['), span(where), out().close(']');
  }
  void spans(std::string_view key, const std::vector<Span>& all, std::size_t first,
             std::size_t count) {
    if (count == 0 || first + count > all.size()) return;
    out().key(key).open('[');
    for (std::size_t k = 0; k < count; ++k) span(all[first + k]);
    out().close(']');
  }
  template <class Items>
  void names(std::string_view key, const Items& items) {
    out().key(key), json_.list(items, [&](auto name) { json_.name(name); });
  }

  void function(const Function& function, const FunctionSpans* where) {
    out().line(1).open('{').key("name"), json_.name(function.name);
    names("params", function.params);
    if (function.implicit) out().key("implicit").flag(true);
    json_.comments("comments", function.comments);
    if (where != nullptr) {
      out().key("spans").open('{'), span("name", where->name);
      spans("params", where->params, 0, where->params.size());
      out().close('}');
    }
    out().key("versions").open('[');
    for (std::size_t v = 0; v < function.versions.size(); ++v) {
      const bool known = where != nullptr && v < where->versions.size();
      version(function.versions[v], known ? &where->versions[v] : nullptr);
    }
    out().line(1).close(']').close('}');
  }

  void version(const Version& version, const VersionSpans* where) {
    out().line(2).open('{').key("name"), json_.name(version.name);
    if (version.cont) {
      out().key("cont").open('{').key("entry"), json_.name(version.cont->entry);
      names("names", version.cont->names);
      out().close('}');
    }
    json_.list_unless_empty("when", version.when, [&](const Expr& e) { json_.expr(e); });
    json_.comments("comments", version.comments);
    if (where != nullptr) {
      out().key("spans").open('{'), span("name", where->name);
      spans("header", where->header, 0, where->header.size());
      out().close('}');
    }
    body(version, where);
    out().close('}');
  }

  void body(const Version& version, const VersionSpans* where) {
    const bool known = where != nullptr && where->stmts.size() == version.body.size() + 1;
    sigils_ = 0;
    out().key("body").open('[');
    for (std::size_t p = 0; p < version.body.size(); ++p) {
      out().line(3).open('{');
      stmt(version.body[p].marks, &version.body[p].instr, known ? where : nullptr, p);
      out().close('}');
    }
    out().line(2).close(']');
    if (version.end == Marks{} && !known) return;
    out().key("end").open('{');
    stmt(version.end, nullptr, known ? where : nullptr, version.body.size());
    out().close('}');
  }

  void stmt(const Marks& marks, const Instruction* instruction, const VersionSpans* where,
            std::size_t position) {
    if (!marks.labels.empty()) names("labels", marks.labels);
    json_.list_unless_empty("scopes", marks.scopes, [&](const ScopeNote& note) {
      out().open('{'), names("names", note.names);
      if (note.open) out().key("open").flag(true);
      out().close('}');
    });
    if (instruction != nullptr) out().key("instr"), json_.instruction(*instruction);
    json_.comments("comments", marks.comments);
    if (where != nullptr) stmt_spans(marks, instruction, *where, position);
  }

  void stmt_spans(const Marks& marks, const Instruction* instruction, const VersionSpans& where,
                  std::size_t position) {
    std::size_t count = marks.labels.size() + marks.scopes.size();
    if (instruction != nullptr) for_each_name(*instruction, [&](NameUse) { ++count; });
    const StmtSpans& at = where.stmts[position];
    out().key("spans").open('{'), span("instr", at.instr);
    spans("names", where.names, at.first, count);
    if (!marks.labels.empty() && sigils_ + marks.labels.size() <= where.sigils.size()) {
      out().key("sigils").open('[');
      for (std::size_t k = 0; k < marks.labels.size(); ++k) sigil(where.sigils[sigils_ + k]);
      out().close(']');
    }
    out().close('}');
    sigils_ += marks.labels.size();
  }

  void sigil(Sigil sigil) {
    out().text(sigil == Sigil::Dollar ? "$" : sigil == Sigil::Deopt ? ">" : "");
  }

  JsonWriter json_;
  std::size_t sigils_ = 0; // labels of the version so far
};

} // namespace

std::string to_json(const Program& program, const SourceMap& spans, const Names& names) {
  return ProgramWriter(names).write(program, spans);
}

bool looks_like_json(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto brace = text.find_first_not_of(blanks);
  if (brace == std::string_view::npos || text[brace] != '{') return false;
  const auto quote = text.find_first_not_of(blanks, brace + 1);
  return quote != std::string_view::npos && text[quote] == '"';
}

} // namespace sourir
