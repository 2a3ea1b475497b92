// Functions, versions, parameters, labels and contexts (language.md section 3).
#include "sourir/syntax/program_index.h"
#include "sourir/syntax/traverse.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {
namespace {

void check_main(ProgramIndex& index) {
  const auto& functions = index.program.functions;
  const auto main = std::find_if(functions.begin(), functions.end(),
                                 [&](const Function& f) { return index.is_main(f); });
  if (main == functions.end())
    index.problems.add(Code::NoMain, {}, "there is no function `main`").help =
        "write `function main()`, or put instructions before the first function";
  else if (!main->params.empty())
    index.problems
        .add(Code::MainParameters,
             index.parameter(static_cast<std::size_t>(main - functions.begin()), 0),
             "`main` has parameters, but nobody passes it arguments")
        .help = "take the values from the input: `var x` and then `read x`";
}

// Reports each name of the list that stands there before; span(k) is where the k-th stands.
template <class List, class NameOf, class SpanOf>
void check_distinct(ProgramIndex& index, Code code, std::string_view what, const List& list,
                    NameOf&& name_of, SpanOf&& span_of) {
  std::unordered_map<std::uint32_t, std::size_t> seen;
  for (std::size_t k = 0; k < list.size(); ++k) {
    const auto [first, fresh] = seen.emplace(name_of(list[k]).id, k);
    if (fresh) continue;
    index.problems
        .add(code, span_of(k),
             fmt::format("there are two {} called {}", what, index.quoted(name_of(list[k]))))
        .notes.push_back({span_of(first->second), "the first one is here"});
  }
}

// Over the names of a version's header that stand in its context.
void check_context(ProgramIndex& index, const VersionEntry& entry) {
  const Version& version = entry.version;
  const auto& known = entry.start_names();
  std::size_t k = version.cont ? 1 + version.cont->names.size() : 0;
  for (const Expr& predicate : version.when)
    for_each_name(predicate, NameRole::Use, NameRole::FunRef, [&](NameUse use) {
      const Span span = entry.places.header(k++);
      const Var name{use.id};
      if (use.role == NameRole::Use && std::find(known.begin(), known.end(), name) == known.end())
        index.problems
            .add(Code::ContextVariable, span,
                 fmt::format("the context of {} mentions {}, which is not a {}",
                             index.quoted(version.name), index.quoted(name),
                             version.cont ? "name of the continuation" : "parameter"))
            .help = fmt::format("it may mention {} and literals", index.braced(known));
    });
}

std::size_t count_labels(const Version& version) {
  std::size_t count = version.end.labels.size();
  for (const Stmt& stmt : version.body) count += stmt.marks.labels.size();
  return count;
}

// The same label may stand at the first position of a continuation again, once.
void check_labels(ProgramIndex& index, const VersionEntry& entry) {
  if (count_labels(entry.version) + (entry.version.cont ? 1 : 0) == entry.labels.size()) return;
  std::unordered_map<Label, Span> seen;
  const auto check = [&](std::uint32_t position, std::size_t k) {
    const Label label = entry.places.marks(position).labels[k];
    const Span span = entry.places.label(position, k);
    const auto [first, fresh] = seen.emplace(label, span);
    const bool entry_elsewhere =
        fresh && entry.version.cont && label == entry.version.cont->entry && position != 0;
    if (fresh && !entry_elsewhere) return;
    index.problems
        .add(Code::DuplicateLabel, span,
             fmt::format("the label {} stands twice in version {} of {}", index.quoted(label),
                         index.quoted(entry.version.name), index.quoted(entry.function.name)))
        .notes.push_back({fresh ? entry.places.header(0) : first->second, "first here"});
  };
  for (std::uint32_t position = 0; position <= entry.version.body.size(); ++position)
    for (std::size_t k = 0; k < entry.places.marks(position).labels.size(); ++k) check(position, k);
}

void check_version(ProgramIndex& index, const VersionEntry& entry) {
  if (entry.version.body.empty())
    index.problems
        .add(Code::EmptyBody, entry.places.name(),
             fmt::format("version {} of {} has no instruction", index.quoted(entry.version.name),
                         index.quoted(entry.function.name)))
        .help =
        index.is_main(entry.function) ? "write at least `stop`" : "write at least `return nil`";
  if (entry.version.cont)
    check_distinct(
        index, Code::DuplicateParameter, "names of the continuation", entry.version.cont->names,
        [](Var name) { return name; }, [&](std::size_t k) { return entry.places.header(1 + k); });
  check_context(index, entry);
  check_labels(index, entry);
}

void check_function(ProgramIndex& index, const Function& function, std::size_t number) {
  check_distinct(
      index, Code::DuplicateParameter, "parameters", function.params, [](Var name) { return name; },
      [&](std::size_t k) { return index.parameter(number, k); });
  check_distinct(
      index, Code::DuplicateVersion, "versions", function.versions,
      [](const Version& v) { return v.name; },
      [&](std::size_t k) {
        return VersionPlaces(index.map, function.versions[k], number, k).name();
      });
  if (function.versions.empty())
    index.problems
        .add(Code::EmptyBody, index.function_name(number),
             fmt::format("{} has no version", index.quoted(function.name)))
        .help = "write at least `return nil`";
  else if (!base_version(function))
    index.problems
        .add(Code::NoBase, index.function_name(number),
             fmt::format("no version of {} works for every call", index.quoted(function.name)))
        .help = "add a version with neither `when` nor `cont`";
}

} // namespace

void check_declarations(ProgramIndex& index) {
  const auto& functions = index.program.functions;
  check_main(index);
  check_distinct(
      index, Code::DuplicateFunction, "functions", functions,
      [](const Function& f) { return f.name; },
      [&](std::size_t k) { return index.function_name(k); });
  for (std::size_t number = 0; number < functions.size(); ++number)
    check_function(index, functions[number], number);
  for (const VersionEntry& entry : index.versions) check_version(index, entry);
}

} // namespace sourir
