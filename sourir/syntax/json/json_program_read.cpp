#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/json/json_inside.h"
#include "sourir/syntax/json/json_parts.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>

namespace sourir {
namespace {

// Spans as they stand in the file, by the part that they belong to. What does not fit the
// program (a pass of somebody else changed an instruction and kept its spans) counts as absent.
struct Spans {
  bool any = false;
  Span first;             // of the name or the instruction
  std::vector<Span> rest; // of the parameters, the header, or the names
  std::vector<Sigil> sigils;
};

class ProgramReader {
public:
  explicit ProgramReader(JsonReader& json) : json_(json), parts_(json, FrameForm::Program) {}

  Parsed read(const JsonValue& root) {
    json_.object(root,
                 needs("format", [&](const JsonValue& v) { json_.constant(v, "sourir-program"); }),
                 needs("version", [&](const JsonValue& v) { json_.constant(v, 1); }),
                 needs("functions", [&](const JsonValue& v) {
                   json_.each(v, [&](const JsonValue& f) { function(f); });
                 }));
    if (!any_spans_) result_.spans = {};
    return std::move(result_);
  }

private:
  void function(const JsonValue& value) {
    Function& f = result_.program.functions.emplace_back();
    FunctionSpans& where = result_.spans.functions.emplace_back();
    Spans spans;
    bool versions_known = false;
    json_.object(
        value, needs("name", [&](const JsonValue& v) { f.name = json_.name<FunName>(v); }),
        needs("params", [&](const JsonValue& v) { f.params = parts_.names<Var>(v); }),
        may_have("implicit", [&](const JsonValue& v) { f.implicit = json_.flag(v); }),
        may_have("comments", [&](const JsonValue& v) { f.comments = parts_.comments(v); }),
        may_have("spans", [&](const JsonValue& v) { spans = read_spans(v, "name", "params"); }),
        needs("versions", [&](const JsonValue& v) {
          json_.each(v, [&](const JsonValue& one) {
            versions_known |=
                version(one, f.versions.emplace_back(), where.versions.emplace_back());
          });
        }));
    if (f.implicit && !may_be_implicit(f))
      json_.problem(value.where, "only a first function `main` without parameters and with one "
                                 "version `anon` can be implicit");
    if (!versions_known) where.versions.clear();
    where.name = spans.first;
    if (spans.rest.size() == f.params.size()) where.params = std::move(spans.rest);
    any_spans_ |= spans.any || versions_known;
  }

  bool may_be_implicit(const Function& f) {
    if (result_.program.functions.size() != 1 || f.versions.size() != 1) return false;
    const Version& v = f.versions.front();
    return json_.names().text(f.name) == "main" && f.params.empty() && f.comments.empty() &&
           json_.names().text(v.name) == "anon" && !v.cont && v.when.empty() && v.comments.empty();
  }

  // True if any span is known.
  bool version(const JsonValue& value, Version& version, VersionSpans& where) {
    Spans spans;
    bool body_known = false;
    const auto cont = [&](const JsonValue& v) {
      ContinuationHeader& header = version.cont.emplace();
      json_.object(
          v, needs("entry", [&](const JsonValue& l) { header.entry = json_.name<Label>(l); }),
          needs("names", [&](const JsonValue& n) { header.names = parts_.names<Var>(n); }));
    };
    json_.object(
        value, needs("name", [&](const JsonValue& v) { version.name = json_.name<VerName>(v); }),
        may_have("cont", cont), may_have("when", parts_.into(version.when)),
        may_have("comments", [&](const JsonValue& v) { version.comments = parts_.comments(v); }),
        may_have("spans", [&](const JsonValue& v) { spans = read_spans(v, "name", "header"); }),
        needs("body",
              [&](const JsonValue& v) {
                json_.each(v, [&](const JsonValue& s) {
                  Stmt& stmt = version.body.emplace_back();
                  body_known |= statement(s, stmt.marks, &stmt.instr, where);
                });
              }),
        may_have("end", [&](const JsonValue& v) {
          body_known |= statement(v, version.end, nullptr, where);
        }));
    where.name = spans.first;
    where.header = std::move(spans.rest);
    if (!body_known)
      where = {.name = where.name, .header = std::move(where.header)};
    else if (where.stmts.size() == version.body.size())
      where.stmts.push_back({{}, static_cast<std::uint32_t>(where.names.size())});
    return spans.any || body_known;
  }

  bool statement(const JsonValue& value, Marks& marks, Instruction* instruction,
                 VersionSpans& where) {
    Spans spans;
    const auto instr = [&](const JsonValue& v) { *instruction = parts_.instruction(v); };
    const auto names =
        may_have("labels", [&](const JsonValue& v) { marks.labels = parts_.names<Label>(v); });
    const auto scopes = may_have("scopes", [&](const JsonValue& v) {
      json_.each(v, [&](const JsonValue& note) { marks.scopes.push_back(scope(note)); });
    });
    const auto comments = may_have("comments", [&](const JsonValue& v) {
      const auto labels = static_cast<std::uint32_t>(marks.labels.size());
      marks.comments = parts_.comments(v, {labels, labels + (instruction != nullptr ? 1U : 0U)});
    });
    const auto at =
        may_have("spans", [&](const JsonValue& v) { spans = read_spans(v, "instr", "names"); });
    if (instruction != nullptr)
      json_.object(value, names, scopes, needs("instr", instr), comments, at);
    else
      json_.object(value, names, scopes, comments, at);
    const bool known = spans.any;
    place_spans(marks, instruction, std::move(spans), where);
    return known;
  }

  static void place_spans(const Marks& marks, const Instruction* instruction, Spans&& spans,
                          VersionSpans& where) {
    std::size_t count = marks.labels.size() + marks.scopes.size();
    if (instruction != nullptr) for_each_name(*instruction, [&](NameUse) { ++count; });
    if (spans.rest.size() != count) spans.rest.assign(count, Span{});
    if (spans.sigils.size() != marks.labels.size())
      spans.sigils.assign(marks.labels.size(), Sigil::Plain);
    where.stmts.push_back({spans.first, static_cast<std::uint32_t>(where.names.size())});
    where.names.insert(where.names.end(), spans.rest.begin(), spans.rest.end());
    where.sigils.insert(where.sigils.end(), spans.sigils.begin(), spans.sigils.end());
  }

  ScopeNote scope(const JsonValue& value) {
    ScopeNote note;
    json_.object(value,
                 needs("names", [&](const JsonValue& v) { note.names = parts_.names<Var>(v); }),
                 may_have("open", [&](const JsonValue& v) { note.open = json_.flag(v); }));
    return note;
  }

  std::vector<Span> span_list(const JsonValue& value) {
    std::vector<std::uint32_t> ends;
    json_.each(value, [&](const JsonValue& v) { ends.push_back(json_.number(v)); });
    if (ends.size() % 2 != 0) json_.expected(value, "an even number of offsets: begin, end, ...");
    std::vector<Span> spans;
    for (std::size_t k = 0; k + 1 < ends.size(); k += 2) {
      if (ends[k] > ends[k + 1]) json_.expected(value, "no end before its begin");
      spans.push_back({ends[k], std::max(ends[k], ends[k + 1])});
    }
    return spans;
  }

  Spans read_spans(const JsonValue& value, std::string_view first, std::string_view rest) {
    Spans spans{.any = true};
    const auto one = needs(first, [&](const JsonValue& v) {
      const auto all = span_list(v);
      if (all.size() == 1)
        spans.first = all.front();
      else
        json_.expected(v, "one span: [begin, end]");
    });
    const auto more = may_have(rest, [&](const JsonValue& v) { spans.rest = span_list(v); });
    const auto sigils = may_have("sigils", [&](const JsonValue& v) {
      json_.each(v, [&](const JsonValue& s) { spans.sigils.push_back(sigil(s)); });
    });
    if (first == "instr")
      json_.object(value, one, more, sigils);
    else
      json_.object(value, one, more);
    return spans;
  }

  Sigil sigil(const JsonValue& value) {
    const std::string_view text = json_.text(value);
    if (text == "$") return Sigil::Dollar;
    if (text == ">") return Sigil::Deopt;
    if (!text.empty()) json_.expected(value, R"("$", ">" or "")");
    return Sigil::Plain;
  }

  JsonReader& json_;
  JsonParts parts_;
  Parsed result_;
  bool any_spans_ = false;
};

} // namespace

Parsed read_program(const JsonValue& value, JsonReader& json) {
  return ProgramReader(json).read(value);
}

Parsed from_json(const Source& source, Names& names, Diagnostics& problems) {
  JsonProblem problem;
  const auto root = read_json(source.text(), problem);
  if (!root) {
    problems.add(problem.too_large ? Code::TooLarge : Code::BadJson, problem.where,
                 problem.message);
    return {};
  }
  JsonReader reader(names, [&](Span where, std::string message) {
    problems.add(Code::BadJson, where, std::move(message));
  });
  return read_program(*root, reader);
}

} // namespace sourir
