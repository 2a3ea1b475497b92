#include "sourir/syntax/json/json_form.h"

#include "sourir/syntax/json/json_parts.h"
#include "sourir/syntax/json/json_reader.h"
#include "sourir/syntax/json/json_writer.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <unordered_set>

namespace sourir {
namespace {

void write_states(JsonWriter& json, const VersionMap& map) {
  JsonText& out = json.out();
  out.key("states").open('[');
  for (const auto& [at, state] : map.states) {
    out.line(3).open('{').key("at").number(at).key("exit");
    state ? json.metadata(*state) : void(out.null());
    out.close('}');
  }
  out.close(']');
}

void write_call_sites(JsonWriter& json, const VersionMap& map) {
  JsonText& out = json.out();
  out.key("call_sites").open('[');
  for (const auto& [at, call_site] : map.call_sites) {
    out.line(3).open('{').key("at").number(at).key("frames");
    if (call_site) {
      json.list(call_site->frames, [&](const OuterFrame& f) { json.outer_frame(f); });
      json.with_block(call_site->with);
    } else {
      out.null();
    }
    out.close('}');
  }
  out.close(']');
}

bool is_null(const JsonValue& value) { return std::holds_alternative<JsonNull>(value.data); }

bool is_one(const JsonValue& value) {
  const auto* number = std::get_if<std::uint64_t>(&value.data);
  return number != nullptr && *number == 1;
}

class StateMapReader {
public:
  explicit StateMapReader(JsonReader& json) : json_(json), parts_(json, FrameForm::StateMap) {}

  StateMap read(const JsonValue& root) {
    json_.object(
        root, needs("format", [&](const JsonValue& v) { json_.constant(v, "sourir-state-map"); }),
        needs("version", [&](const JsonValue& v) { json_.constant(v, is_one(v) ? 1 : 2); }),
        needs("versions", [&](const JsonValue& v) {
          json_.each(v, [&](const JsonValue& one) { version(one); });
        }));
    return std::move(result_);
  }

private:
  void version(const JsonValue& value) {
    VersionMap& map = result_.versions.emplace_back();
    // Version 1 of the form calls the call sites `pending`.
    const bool former = JsonReader::find(value, "call_sites") == nullptr &&
                        JsonReader::find(value, "pending") != nullptr;
    json_.object(
        value,
        needs("function", [&](const JsonValue& v) { map.function = json_.name<FunName>(v); }),
        needs("version", [&](const JsonValue& v) { map.version = json_.name<VerName>(v); }),
        needs("identity",
              [&](const JsonValue& v) {
                if (!is_null(v)) map.identity = identity(v);
              }),
        needs("states",
              [&](const JsonValue& v) {
                json_.each(v, [&](const JsonValue& one) { state(one, map); });
              }),
        needs(former ? "pending" : "call_sites", [&](const JsonValue& v) {
          json_.each(v, [&](const JsonValue& one) { call_site(one, map); });
        }));
    if (!seen_.insert((std::uint64_t{map.function.id} << 32) | map.version.id).second)
      json_.problem(value.where, "a version that is listed already");
  }

  Place identity(const JsonValue& value) {
    Place place;
    json_.object(
        value,
        needs("function", [&](const JsonValue& v) { place.function = json_.name<FunName>(v); }),
        needs("version", [&](const JsonValue& v) { place.version = json_.name<VerName>(v); }));
    return place;
  }

  void state(const JsonValue& value, VersionMap& map) {
    Position at = 0;
    std::optional<Metadata> exit;
    json_.object(value, needs("at", [&](const JsonValue& v) { at = json_.number(v); }),
                 needs("exit", [&](const JsonValue& v) {
                   if (!is_null(v)) exit = parts_.metadata(v);
                 }));
    if (!map.states.emplace(at, std::move(exit)).second)
      json_.problem(value.where, "a position that is listed already");
  }

  void call_site(const JsonValue& value, VersionMap& map) {
    Position at = 0;
    CallSiteFrames call_site;
    bool known = true;
    json_.object(
        value, needs("at", [&](const JsonValue& v) { at = json_.number(v); }),
        needs("frames",
              [&](const JsonValue& v) {
                if (known = !is_null(v); !known) return;
                json_.each(v, [&](const JsonValue& f) {
                  call_site.frames.push_back(parts_.outer_frame(f));
                });
                if (call_site.frames.empty()) json_.expected(v, "at least one frame, or null");
              }),
        may_have("with", [&](const JsonValue& v) { call_site.with = parts_.with_block(v); }));
    const auto entry = known ? std::optional(std::move(call_site)) : std::nullopt;
    if (!map.call_sites.emplace(at, entry).second)
      json_.problem(value.where, "a position that is listed already");
  }

  JsonReader& json_;
  JsonParts parts_;
  StateMap result_;
  std::unordered_set<std::uint64_t> seen_;
};

} // namespace

std::string to_json(const StateMap& map, const Names& names) {
  JsonWriter json(names);
  JsonText& out = json.out();
  out.open('{').key("format").text("sourir-state-map").key("version").number(2);
  out.key("versions").open('[');
  for (const VersionMap& v : map.versions) {
    out.line(1).open('{').key("function"), json.name(v.function);
    out.key("version"), json.name(v.version);
    out.key("identity");
    if (v.identity) {
      out.open('{').key("function"), json.name(v.identity->function);
      out.key("version"), json.name(v.identity->version), out.close('}');
    } else {
      out.null();
    }
    write_states(json, v);
    write_call_sites(json, v);
    out.close('}');
  }
  out.line(0).close(']').close('}');
  return out.take() + "\n";
}

StateMap read_state_map(const JsonValue& value, JsonReader& json) {
  return StateMapReader(json).read(value);
}

Result<StateMap> state_map_from_json(std::string_view text, Names& names) {
  JsonProblem problem;
  const auto root = read_json(text, problem);
  if (!root) return failure("{}", problem.message);
  std::string error;
  JsonReader reader(names, [&](Span, const std::string& message) {
    if (!error.empty()) error += '\n';
    error += message;
  });
  StateMap map = read_state_map(*root, reader);
  if (reader.problems() > 0) return failure("{}", error);
  return map;
}

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
      stmt(version.body[p].leading, &version.body[p].instr, known ? where : nullptr, p);
      out().close('}');
    }
    out().line(2).close(']');
    if (version.end == LeadingTrivia{} && !known) return;
    out().key("end").open('{');
    stmt(version.end, nullptr, known ? where : nullptr, version.body.size());
    out().close('}');
  }

  void stmt(const LeadingTrivia& leading, const Instruction* instruction, const VersionSpans* where,
            std::size_t position) {
    if (!leading.labels.empty()) names("labels", leading.labels);
    json_.list_unless_empty("scopes", leading.scopes, [&](const ScopeNote& note) {
      out().open('{'), names("names", note.names);
      if (note.open) out().key("open").flag(true);
      out().close('}');
    });
    if (instruction != nullptr) out().key("instr"), json_.instruction(*instruction);
    json_.comments("comments", leading.comments);
    if (where != nullptr) stmt_spans(leading, instruction, *where, position);
  }

  void stmt_spans(const LeadingTrivia& leading, const Instruction* instruction,
                  const VersionSpans& where, std::size_t position) {
    std::size_t count = leading.labels.size() + leading.scopes.size();
    if (instruction != nullptr) for_each_name(*instruction, [&](NameUse) { ++count; });
    const StmtSpans& at = where.stmts[position];
    out().key("spans").open('{'), span("instr", at.instr);
    spans("names", where.names, at.first, count);
    if (!leading.labels.empty() && sigils_ + leading.labels.size() <= where.sigils.size()) {
      out().key("sigils").open('[');
      for (std::size_t k = 0; k < leading.labels.size(); ++k) sigil(where.sigils[sigils_ + k]);
      out().close(']');
    }
    out().close('}');
    sigils_ += leading.labels.size();
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

namespace {

// Spans of the file, by the part that they belong to. Spans that do not fit the program (a foreign
// pass changed an instruction and kept its spans) count as absent.
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
                  body_known |= statement(s, stmt.leading, &stmt.instr, where);
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

  bool statement(const JsonValue& value, LeadingTrivia& leading, Instruction* instruction,
                 VersionSpans& where) {
    Spans spans;
    const auto instr = [&](const JsonValue& v) { *instruction = parts_.instruction(v); };
    const auto names =
        may_have("labels", [&](const JsonValue& v) { leading.labels = parts_.names<Label>(v); });
    const auto scopes = may_have("scopes", [&](const JsonValue& v) {
      json_.each(v, [&](const JsonValue& note) { leading.scopes.push_back(scope(note)); });
    });
    const auto comments = may_have("comments", [&](const JsonValue& v) {
      const auto labels = static_cast<std::uint32_t>(leading.labels.size());
      leading.comments = parts_.comments(v, {labels, labels + (instruction != nullptr ? 1U : 0U)});
    });
    const auto at =
        may_have("spans", [&](const JsonValue& v) { spans = read_spans(v, "instr", "names"); });
    if (instruction != nullptr)
      json_.object(value, names, scopes, needs("instr", instr), comments, at);
    else
      json_.object(value, names, scopes, comments, at);
    const bool known = spans.any;
    place_spans(leading, instruction, std::move(spans), where);
    return known;
  }

  static void place_spans(const LeadingTrivia& leading, const Instruction* instruction,
                          Spans&& spans, VersionSpans& where) {
    std::size_t count = leading.labels.size() + leading.scopes.size();
    if (instruction != nullptr) for_each_name(*instruction, [&](NameUse) { ++count; });
    if (spans.rest.size() != count) spans.rest.assign(count, Span{});
    if (spans.sigils.size() != leading.labels.size())
      spans.sigils.assign(leading.labels.size(), Sigil::Plain);
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
