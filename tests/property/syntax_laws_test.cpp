#include "tests/property/generated.h"

#include "sourir/syntax/json_form.h"
#include "sourir/syntax/load.h"
#include "sourir/syntax/traverse.h"
#include "sourir/syntax/wellformed.h"

namespace sourir::testing {
namespace {

// No errors, and no warnings but that an exit might fail.
RC_GTEST_PROP(Syntax, GeneratedProgramsAreWellFormed, (const Case &c)) {
  Names names;
  const RandomCase made = c.make(names);
  Diagnostics problems;
  check_wellformed(made.program, {}, names, problems);
  for (const Diagnostic &d : problems.sorted())
    if (d.severity == Severity::Error || d.code != Code::PartialVarmap)
      RC_FAIL(d.message);
}

// The tape may be cut anywhere: what is left still makes a well-formed program.
RC_GTEST_PROP(Syntax, AnyPartOfATapeMakesAWellFormedProgram, (const Case &c, std::uint16_t keep)) {
  Case part = c;
  part.words.resize(c.words.size() * keep / 65536);
  Names names;
  const RandomCase made = part.make(names);
  Diagnostics problems;
  check_wellformed(made.program, {}, names, problems);
  RC_ASSERT(!problems.has_errors());
}

RC_GTEST_PROP(Syntax, ProgramsReadBackAsPrinted, (const Case &c)) {
  Names names;
  const RandomCase made = c.make(names);
  for (const Notation notation : {Notation::Prototype, Notation::Paper}) {
    Diagnostics problems;
    const std::string text = print(made.program, names, notation);
    const Parsed parsed = parse(Source("printed", text), names, problems);
    RC_ASSERT(!problems.has_errors());
    RC_ASSERT(parsed.program == made.program);
    RC_ASSERT(print(parsed.program, names, notation) == text);
  }
}

RC_GTEST_PROP(Syntax, JsonIsLossless, (const Case &c)) {
  Names names;
  const RandomCase made = c.make(names);
  Diagnostics problems;
  const Parsed parsed = parse(Source("printed", print(made.program, names)), names, problems);
  const Parsed back =
      from_json(Source("json", to_json(parsed.program, parsed.spans, names)), names, problems);
  RC_ASSERT(!problems.has_errors());
  RC_ASSERT(back.program == parsed.program);
  RC_ASSERT(back.spans == parsed.spans);
}

// The spans of the names of a statement are in the order of for_each_name.
RC_GTEST_PROP(Syntax, SpansShowTheNames, (const Case &c, bool paper)) {
  Names names;
  const RandomCase made = c.make(names);
  const Source source("printed",
                      print(made.program, names, paper ? Notation::Paper : Notation::Prototype));
  Diagnostics problems;
  const Parsed parsed = parse(source, names, problems);
  for (std::size_t f = 0; f < parsed.program.functions.size(); ++f)
    for (std::size_t v = 0; v < parsed.program.functions[f].versions.size(); ++v) {
      const Version &version = parsed.program.functions[f].versions[v];
      const VersionSpans &spans = parsed.spans.functions[f].versions[v];
      for (std::size_t i = 0; i < version.body.size(); ++i) {
        const Marks &marks = version.body[i].marks;
        std::size_t k = spans.stmts[i].first + marks.labels.size() + marks.scopes.size();
        for_each_name(version.body[i].instr, [&](NameUse use) {
          const Span span = spans.names.at(k++);
          const auto text = source.text().substr(span.begin, span.end - span.begin);
          RC_ASSERT(text == names.text(Var{use.id}));
        });
      }
    }
}

} // namespace
} // namespace sourir::testing
