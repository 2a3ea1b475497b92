#include "sourir/syntax/json/load.h"

#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {
namespace {

// --- Check of a program with lines that could not be read, so that all problems of a file are
// reported at once

// Adds the problems that hold whatever the unreadable lines were meant to be: those of names
// everywhere (labels of such a line are known), those of scopes and ends only in versions without
// such a line, those of varmaps only if the version of the target has none either, and none when a
// header could not be read. `problems` contains the errors and
// warnings of reading, with spans in `source`.
void check_damaged(const Parsed& parsed, const Source& source, const Names& names,
                   Diagnostics& problems);

enum class Needs : std::uint8_t {
  Names,
  WholeVersions, // those of the problem and of its notes
  WholeProgram
};

// How much must have been read for a problem of this code to be certain.
Needs needs(Code code) {
  switch (code) {
  case Code::MainParameters:
  case Code::DuplicateFunction:
  case Code::DuplicateVersion:
  case Code::DuplicateParameter:
  case Code::DuplicateLabel:
  case Code::UnknownLabel:
  case Code::UnknownFunction:
  case Code::UnknownVersion:
  case Code::WrongArity:
  case Code::ContextVariable: return Needs::Names;
  case Code::OutOfScope:
  case Code::Redeclared:
  case Code::ScopeMismatch:
  case Code::DeclarationMismatch:
  case Code::AnnotationFails:
  case Code::FallsOffEnd:
  case Code::VarmapMissing:
  case Code::VarmapExtra:
  case Code::VarmapDuplicate:
  case Code::OuterResult: return Needs::WholeVersions;
  default: return Needs::WholeProgram;
  }
}

bool is_header(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return line.starts_with("function") || line.starts_with("version");
}

// The versions that have an unreadable line, as indices in order of the text; the lines of a
// function before its versions count as one.
class Damage {
public:
  Damage(const SourceMap& spans, const Source& source, const std::vector<Diagnostic>& problems) {
    for (const FunctionSpans& f : spans.functions) {
      starts_.push_back(f.name.begin);
      for (const VersionSpans& v : f.versions) starts_.push_back(v.name.begin);
    }
    std::ranges::sort(starts_);
    damaged_.resize(starts_.size());
    for (const Diagnostic& d : problems) {
      if (d.severity != Severity::Error) continue;
      header_ |= is_header(source.line(source.position(d.span.begin).line));
      if (const std::size_t v = version_at(d.span.begin); v < damaged_.size()) damaged_[v] = true;
    }
  }

  bool header() const { return header_; }
  bool in_version_of(Span span) const {
    const std::size_t v = version_at(span.begin);
    return v >= damaged_.size() || damaged_[v];
  }

private:
  // Out of range for an offset before the first function.
  std::size_t version_at(std::uint32_t offset) const {
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), offset);
    return static_cast<std::size_t>(after - starts_.begin()) - 1;
  }

  std::vector<std::uint32_t> starts_;
  std::vector<bool> damaged_;
  bool header_ = false;
};

void check_damaged(const Parsed& parsed, const Source& source, const Names& names,
                   Diagnostics& problems) {
  const Damage damage(parsed.spans, source, problems.sorted());
  if (damage.header()) return;
  Diagnostics found;
  check_wellformed(parsed.program, parsed.spans, names, found);
  for (const Diagnostic& d : found.sorted()) {
    const Needs what = needs(d.code);
    if (what == Needs::WholeProgram) continue;
    if (what == Needs::WholeVersions &&
        (damage.in_version_of(d.span) || std::ranges::any_of(d.notes, [&](const Note& note) {
           return damage.in_version_of(note.span);
         })))
      continue;
    Diagnostic& added = problems.add(d.code, d.span, d.message);
    added.notes = d.notes;
    added.help = d.help;
  }
}

// The program of a JSON form is read again from its canonical text, so that messages can show every
// span.
Loaded read(Source source, Names& names) {
  Diagnostics problems;
  if (looks_like_json(source.text())) {
    const Parsed form = from_json(source, names, problems);
    if (problems.has_errors())
      return {std::move(source), form.program, form.spans, std::move(problems)};
    source = Source(source.name(), print(form.program, names));
  }
  Parsed parsed = parse(source, names, problems);
  return {std::move(source), std::move(parsed.program), std::move(parsed.spans),
          std::move(problems)};
}

} // namespace

Loaded load(std::string name, std::string text, Names& names, const LoadOptions& options) {
  const std::size_t limit = std::min(options.max_bytes, kMaxSourceBytes);
  if (text.size() > limit) {
    Loaded refused{Source(std::move(name), {}), {}, {}, {}};
    refused.problems.add(Code::TooLarge, {},
                         fmt::format("{} bytes are more than the limit of {}", text.size(), limit));
    return refused;
  }
  Loaded loaded = read(Source(std::move(name), std::move(text)), names);
  if (options.strict) loaded.problems.promote(Code::PartialVarmap);
  if (!options.check) return loaded;
  if (!loaded.problems.has_errors())
    check_wellformed(loaded.program, loaded.spans, names, loaded.problems);
  else if (!looks_like_json(loaded.source.text()))
    check_damaged({loaded.program, loaded.spans}, loaded.source, names, loaded.problems);
  return loaded;
}

} // namespace sourir
