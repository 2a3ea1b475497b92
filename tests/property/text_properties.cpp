// Random programs are accepted, and each form that they are written in reads back as the same.
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/json/load.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/traverse.h"
#include "sourir/syntax/wellformed.h"
#include "tests/property/properties.h"

namespace sourir::testing {

namespace {

void must_have_no_problem(const Diagnostics& problems, const std::string& where) {
  for (const Diagnostic& d : problems.sorted())
    RC_FAIL(where + ": " + std::string(row(d.code).name) + ": " + d.message);
}

Parsed parsed(const Source& source, Names& names) {
  Diagnostics problems;
  Parsed made = parse(source, names, problems);
  must_have_no_problem(problems, "reading " + source.name());
  return made;
}

} // namespace

void accepted(Case& c) {
  Diagnostics problems;
  check_wellformed(c.random.program, {}, c.names, problems);
  for (const Diagnostic& d : problems.sorted())
    if (d.code != Code::PartialVarmap || !c.policy.has(Feature::PartialVarmaps))
      RC_FAIL(std::string(row(d.code).name) + ": " + d.message);
  if (c.policy.has(Feature::NotNormal)) return;
  Diagnostics not_normal;
  check_normal_form(c.random.program, {}, c.names, not_normal);
  must_have_no_problem(not_normal, "normal form");
}

// A choice sequence may be cut anywhere, and any part of it taken out: that is how cases shrink.
void any_part_of_the_choices_is_accepted(Case& c) {
  const auto& choices = c.recipe.choices;
  const auto n = static_cast<std::uint32_t>(choices.size());
  ChoiceSequence draw(c.number);
  for (int i = 0; i < 4; ++i) {
    const auto from = static_cast<std::ptrdiff_t>(draw.below(n + 1));
    const auto to =
        from + static_cast<std::ptrdiff_t>(draw.below(n + 1 - static_cast<std::uint32_t>(from)));
    Recipe part{c.recipe.size, {choices.begin(), choices.begin() + from}};
    if (i > 0) part.choices.insert(part.choices.end(), choices.begin() + to, choices.end());
    accepted(*make(part));
  }
}

void printed_and_parsed(Case& c) {
  for (const Notation notation : {Notation::Prototype, Notation::Paper}) {
    const std::string text = print(c.random.program, c.names, notation);
    const Source source(notation == Notation::Paper ? "the paper's" : "the prototype's", text);
    const Program again = parsed(source, c.names).program;
    if (again != c.random.program)
      RC_FAIL("not the same program: " + text + "\nis read as\n" + print(again, c.names, notation));
    RC_ASSERT(print(again, c.names, notation) == text);
  }
}

void json_and_back(Case& c) {
  const Source text("text", print(c.random.program, c.names));
  const Parsed from_text = parsed(text, c.names);
  const std::string json = to_json(from_text.program, from_text.spans, c.names);
  RC_ASSERT(looks_like_json(json));
  Diagnostics problems;
  const Parsed again = from_json(Source("json", json), c.names, problems);
  must_have_no_problem(problems, "reading JSON");
  RC_ASSERT(again.program == from_text.program);
  RC_ASSERT(again.spans == from_text.spans);
  RC_ASSERT(to_json(again.program, again.spans, c.names) == json);
}

namespace {

class SpanCheck {
public:
  SpanCheck(const Source& source, const Parsed& parsed, const Names& names)
      : text_(source.text()), parsed_(parsed), names_(names) {}

  void run() {
    RC_ASSERT(parsed_.spans.functions.size() == parsed_.program.functions.size());
    for (std::size_t f = 0; f < parsed_.program.functions.size(); ++f)
      function(parsed_.program.functions[f], parsed_.spans.functions[f]);
  }

private:
  void shows(Span span, std::uint32_t name) {
    const std::string_view wanted = names_.text(Var{name});
    RC_ASSERT(span.begin <= span.end);
    RC_ASSERT(span.end <= text_.size());
    std::string_view shown = text_.substr(span.begin, span.end - span.begin);
    if (shown.starts_with('\'')) shown.remove_prefix(1);
    RC_ASSERT(shown == wanted);
  }

  void function(const Function& f, const FunctionSpans& spans) {
    if (!f.implicit) shows(spans.name, f.name.id);
    RC_ASSERT(spans.params.size() == f.params.size());
    for (std::size_t k = 0; k < f.params.size(); ++k) shows(spans.params[k], f.params[k].id);
    RC_ASSERT(spans.versions.size() == f.versions.size());
    for (std::size_t v = 0; v < f.versions.size(); ++v) version(f.versions[v], spans.versions[v]);
  }

  void version(const Version& v, const VersionSpans& spans) {
    std::vector<std::uint32_t> header;
    if (v.cont) {
      header.push_back(v.cont->entry.id);
      for (const Var x : v.cont->names) header.push_back(x.id);
    }
    for (const Expr& e : v.when)
      for_each_name(e, NameRole::Use, NameRole::FunRef,
                    [&](NameUse use) { header.push_back(use.id); });
    RC_ASSERT(spans.header.size() == header.size());
    for (std::size_t k = 0; k < header.size(); ++k) shows(spans.header[k], header[k]);
    if (names_.text(v.name) != "anon") shows(spans.name, v.name.id);
    RC_ASSERT(spans.stmts.size() == v.body.size() + 1);
    std::size_t labels = v.end.labels.size();
    for (std::size_t k = 0; k < v.body.size(); ++k) {
      labels += v.body[k].leading.labels.size();
      stmt(v.body[k], spans, spans.stmts[k]);
    }
    RC_ASSERT(spans.sigils.size() == labels);
  }

  void stmt(const Stmt& s, const VersionSpans& spans, const StmtSpans& at) {
    RC_ASSERT(at.instr.begin < at.instr.end);
    std::size_t k = at.first;
    for (const Label label : s.leading.labels) shows(spans.names[k++], label.id);
    for (std::size_t i = 0; i < s.leading.scopes.size(); ++i, ++k)
      RC_ASSERT(text_[spans.names[k].begin] == '{' && text_[spans.names[k].end - 1] == '}');
    for_each_name(s.instr, [&](NameUse use) {
      RC_ASSERT(at.instr.begin <= spans.names[k].begin && spans.names[k].end <= at.instr.end);
      shows(spans.names[k++], use.id);
    });
  }

  std::string_view text_;
  const Parsed& parsed_;
  const Names& names_;
};

} // namespace

void spans_show_names(Case& c) {
  for (const Notation notation : {Notation::Prototype, Notation::Paper}) {
    const Source source("text", print(c.random.program, c.names, notation));
    const Parsed made = parsed(source, c.names);
    SpanCheck(source, made, c.names).run();
  }
}

} // namespace sourir::testing
