#include "sourir/syntax/wellformed.h"

#include "sourir/syntax/habits.h"
#include "sourir/syntax/program_index.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/suggest.h"
#include "sourir/syntax/traverse.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace sourir {

// --- The normal form -----------------------------------------------------------------------------

namespace {

// How a label is used, and its first use by a branch or goto.
struct LabelUse {
  bool branch = false, go = false, exit = false;
  Span jump;
};
using LabelUses = std::unordered_map<Label, LabelUse>;

class NormalFormCheck {
public:
  NormalFormCheck(ProgramIndex& index, const VersionEntry& entry, LabelUses& uses)
      : index_(index), entry_(entry), uses_(uses), jumps_to_(entry.version.body.size() + 1) {}

  void check() {
    for (std::uint32_t position = 0; position < entry_.version.body.size(); ++position)
      record_jumps(position);
    for (std::uint32_t position = 0; position <= entry_.version.body.size(); ++position)
      for (std::size_t k = 0; k < entry_.places.leading(position).labels.size(); ++k)
        check_label(entry_.places.leading(position).labels[k], position,
                    entry_.places.label(position, k));
    const auto& first = entry_.places.leading(0).labels;
    if (const auto& cont = entry_.version.cont;
        cont && std::find(first.begin(), first.end(), cont->entry) == first.end())
      check_label(cont->entry, 0, entry_.places.header(0));
    check_declarations();
  }

private:
  void record_jumps(std::uint32_t position) {
    std::size_t k = 0;
    for_each_name(entry_.version.body[position].instr, [&](NameUse use) {
      const bool branch = use.role == NameRole::BranchTarget;
      if (branch || use.role == NameRole::GotoTarget) {
        LabelUse& label = uses_[Label{use.id}];
        if (!label.branch && !label.go) label.jump = entry_.places.instruction_name(position, k);
        (branch ? label.branch : label.go) = true;
        if (const auto target = entry_.labels.find(Label{use.id}); target != entry_.labels.end())
          ++jumps_to_[target->second];
      }
      ++k;
    });
  }

  void check_label(Label label, std::uint32_t position, Span span) {
    const auto found = uses_.find(label);
    if (found == uses_.end() || !(found->second.branch || found->second.go)) return;
    const LabelUse& use = found->second;
    const bool entry = entry_.version.cont && entry_.version.cont->entry == label;
    const bool exit = use.exit || entry;
    if (use.branch + use.go + exit > 1)
      add(Code::NormalMixedLabel, span,
          fmt::format("{} is used by {}{}{}", index_.quoted(label),
                      use.branch ? "branches" : "gotos",
                      use.branch && use.go ? (exit ? ", gotos" : " and gotos") : "",
                      exit ? " and exits" : ""),
          use);
    if (use.branch && jumps_to_[position] > 1)
      add(Code::NormalBranchTarget, span,
          fmt::format("{} is the target of a branch, but {} edges lead to its position",
                      index_.quoted(label), jumps_to_[position]),
          use);
    if (position > 0 && successors(entry_.version.body[position - 1].instr).next)
      add(Code::NormalFallThrough, span,
          fmt::format("control falls through into {}, which is jumped to", index_.quoted(label)),
          use);
    if (position == 0)
      add(Code::NormalFirstLabel, span,
          fmt::format("{} stands at the first position, but is jumped to", index_.quoted(label)),
          use);
  }

  void add(Code code, Span span, std::string message, const LabelUse& use) {
    index_.problems.add(code, span, std::move(message))
        .notes.push_back({use.jump, "the first jump to it is here"});
  }

  void check_declarations() {
    std::unordered_map<Var, Span> declared;
    const auto& names = entry_.start_names();
    for (std::size_t k = 0; k < names.size(); ++k)
      declared.emplace(names[k], entry_.version.cont ? entry_.places.header(1 + k)
                                                     : index_.parameter(entry_.function_number, k));
    for (std::uint32_t position = 0; position < entry_.version.body.size(); ++position) {
      const Var* name = scope_effect(entry_.version.body[position].instr).declares;
      if (!name) continue;
      // A declaration's name is the first of its instruction.
      const Span span = entry_.places.instruction_name(position, 0);
      const auto [first, fresh] = declared.emplace(*name, span);
      if (!fresh)
        index_.problems
            .add(Code::NormalDeclaredTwice, span,
                 fmt::format("{} is declared twice in version {} of {}", index_.quoted(*name),
                             index_.quoted(entry_.version.name),
                             index_.quoted(entry_.function.name)))
            .notes.push_back({first->second, "it is declared here first"});
    }
  }

  ProgramIndex& index_;
  const VersionEntry& entry_;
  LabelUses& uses_;
  std::vector<std::uint32_t> jumps_to_; // branches and gotos to each position
};

} // namespace

void check_normal_form(const Program& program, const SourceMap& spans, const Names& names,
                       Diagnostics& problems) {
  ProgramIndex index(program, spans, names, problems);
  std::unordered_map<const VersionEntry*, LabelUses> uses;
  for (const VersionEntry& entry : index.versions)
    for (const Stmt& stmt : entry.version.body)
      if (const Metadata* exit = exit_of(stmt.instr))
        for (std::size_t i = 0; i < frame_count(*exit); ++i) {
          const Place& target = *frame_at(*exit, i).target;
          const Function* function = index.function(target.function);
          const VersionEntry* version =
              function ? index.version(*function, target.version) : nullptr;
          if (version && target.label) uses[version][*target.label].exit = true;
        }
  for (const VersionEntry& entry : index.versions)
    NormalFormCheck(index, entry, uses[&entry]).check();
}

void check_wellformed(const Program& program, const SourceMap& spans, const Names& names,
                      Diagnostics& problems) {
  ProgramIndex index(program, spans, names, problems);
  check_declarations(index);
  check_names(index);
  check_scopes(index);
  check_exits(index);
}

bool is_wellformed(const Program& program, const Names& names) {
  Diagnostics problems;
  check_wellformed(program, {}, names, problems);
  return !problems.has_errors();
}

// --- Declarations and names: functions, versions, parameters and contexts, and the labels,
// functions, versions and arities that bodies name, also in unreachable code

namespace {

constexpr std::size_t kMostListed = 6; // names

// A suggestion, or all the names if they are few; `what` introduces several.
std::string did_you_mean(std::string_view wrong, const std::vector<std::string_view>& known,
                         std::string_view what) {
  if (const auto word = closest(wrong, known)) return fmt::format("did you mean `{}`?", *word);
  if (known.empty() || known.size() > kMostListed) return {};
  return fmt::format("{}: `{}`", what, fmt::join(known, "`, `"));
}

class NameCheck {
public:
  NameCheck(ProgramIndex& index, VersionEntry& entry) : index_(index), entry_(entry) {}

  void check_context() {
    const Version& version = entry_.version;
    std::size_t k = version.cont ? 1 + version.cont->names.size() : 0;
    for (const Expr& predicate : version.when)
      for_each_name(predicate, NameRole::Use, NameRole::FunRef, [&](NameUse use) {
        if (use.role == NameRole::FunRef && !index_.function(FunName{use.id}))
          unknown_function(FunName{use.id}, entry_.places.header(k));
        ++k;
      });
  }

  void check_body() {
    entry_.frames_begin = index_.frames.size();
    for (position_ = 0; position_ < entry_.version.body.size(); ++position_) {
      const Instruction& instruction = entry_.version.body[position_].instr;
      next_ = 0;
      frames_.clear();
      for_each_name(instruction, [this](NameUse use) { check(use); });
      if (const auto* call = std::get_if<Call>(&instruction)) check_arity(*call);
      check_elements_tests(instruction);
      if (const Metadata* exit = exit_of(instruction)) check_exit(*exit);
    }
    entry_.frames_end = index_.frames.size();
  }

private:
  void check(NameUse use) {
    const std::size_t k = next_++;
    switch (use.role) {
    case NameRole::FunRef:
    case NameRole::ExitFunRef:
    case NameRole::WithFunRef:
      if (!index_.function(FunName{use.id})) unknown_function(FunName{use.id}, span(k));
      break;
    case NameRole::BranchTarget:
    case NameRole::GotoTarget:
      if (!entry_.labels.contains(Label{use.id})) unknown_label(Label{use.id}, entry_, span(k));
      break;
    case NameRole::ExitFunction: frames_.push_back(k); break;
    default: // check_scopes handles variables, check_exit the rest of exits
      break;
    }
  }

  void check_arity(const Call& call) {
    const auto* callee = std::get_if<SimpleExpr>(&call.callee);
    const auto* name = callee ? std::get_if<FunName>(callee) : nullptr;
    const Function* function = name ? index_.function(*name) : nullptr;
    if (!function || function->params.size() == call.arguments.size()) return;
    const std::size_t wanted = function->params.size(), passed = call.arguments.size();
    const auto number = static_cast<std::size_t>(function - index_.program.functions.data());
    index_.problems
        .add(Code::WrongArity, span(1),
             fmt::format("{} takes {} argument{}, but {} {} passed", index_.quoted(*name), wanted,
                         wanted == 1 ? "" : "s", passed, passed == 1 ? "is" : "are"))
        .notes.push_back({index_.function_name(number), "it is defined here"});
  }

  // Only guards of assumes may test the types of all elements.
  void check_elements_tests(const Instruction& instruction) {
    const auto* const assume = std::get_if<Assume>(&instruction);
    std::size_t guards = assume != nullptr ? assume->guards.size() : 0; // the first expressions
    for_each_expression(instruction, [&](const Expr& e) {
      if (guards > 0)
        --guards;
      else if (const auto* const test = std::get_if<ElementsTest>(&e))
        misplaced(*test, assume != nullptr);
    });
  }

  void misplaced(const ElementsTest& test, bool after_guards) {
    const Var* const x = std::get_if<Var>(&test.operand);
    const Span at =
        x != nullptr ? span_of_use(*x, after_guards) : entry_.places.instruction(position_);
    index_.problems
        .add(Code::MisplacedElementsTest, at,
             fmt::format("`is {}[]` may only be a guard of an assume or part of a context",
                         spelling(test.kind)))
        .help = fmt::format("load each element and test it: `var e = {}[i]`, then `(e is {})`",
                            x != nullptr ? index_.text(*x) : "a", spelling(test.kind));
  }

  // The first use of the variable; after the guards of an assume, if asked for.
  Span span_of_use(Var x, bool after_guards) const {
    std::optional<std::size_t> found;
    std::size_t k = 0;
    for_each_name(entry_.version.body[position_].instr, [&](NameUse use) {
      const bool expression = use.role == NameRole::ExitUse || use.role == NameRole::WithUse ||
                              (use.role == NameRole::Use && !after_guards);
      if (!found && expression && use.id == x.id) found = k;
      ++k;
    });
    return found ? span(*found) : Span{};
  }

  void check_exit(const Metadata& exit) {
    for (std::uint32_t number = 0; number < frame_count(exit); ++number)
      resolve(*frame_at(exit, number).target, number, frames_[number]);
  }

  void resolve(const Place& target, std::uint32_t number, std::size_t k) {
    const Function* function = index_.function(target.function);
    if (!function) return unknown_function(target.function, span(k));
    VersionEntry* version = index_.version(*function, target.version);
    if (!version) return unknown_version(*function, target.version, span(k + 1));
    if (!target.label || target.offset != 0) {
      index_.problems.add(Code::UnknownLabel, span(k + 1), "the target of an exit is a label");
      return;
    }
    const auto label = version->labels.find(*target.label);
    if (label == version->labels.end()) return unknown_label(*target.label, *version, span(k + 2));
    version->arriving.push_back(index_.frames.size());
    index_.frames.push_back({&entry_, position_, number, version, label->second});
  }

  void unknown_function(FunName name, Span at) {
    Diagnostic& problem = index_.problems.add(
        Code::UnknownFunction, at, fmt::format("there is no function {}", index_.quoted(name)));
    if (!index_.details()) return;
    std::vector<std::string_view> known;
    for (const Function& function : index_.program.functions)
      known.push_back(index_.text(function.name));
    problem.help = habit_of_call(index_.text(name));
    if (!problem.help.empty()) return;
    problem.help = did_you_mean(index_.text(name), known,
                                known.size() == 1 ? "the only function is" : "the functions are");
  }

  void unknown_version(const Function& function, VerName name, Span at) {
    Diagnostic& problem = index_.problems.add(
        Code::UnknownVersion, at,
        fmt::format("{} has no version {}", index_.quoted(function.name), index_.quoted(name)));
    if (!index_.details()) return;
    std::vector<std::string_view> known;
    for (const Version& version : function.versions) known.push_back(index_.text(version.name));
    problem.help = did_you_mean(index_.text(name), known,
                                known.size() == 1 ? "its only version is" : "its versions are");
  }

  void unknown_label(Label name, const VersionEntry& where, Span at) {
    Diagnostic& problem = index_.problems.add(
        Code::UnknownLabel, at,
        fmt::format("there is no label {} in version {} of {}", index_.quoted(name),
                    index_.quoted(where.version.name), index_.quoted(where.function.name)));
    if (!index_.details()) return;
    std::vector<std::string_view> known;
    if (where.version.cont) known.push_back(index_.text(where.version.cont->entry));
    for (std::uint32_t position = 0; position <= where.version.body.size(); ++position)
      for (const Label label : where.places.leading(position).labels)
        known.push_back(index_.text(label));
    problem.help = known.empty()
                       ? fmt::format("the version has no labels; write `{}:` in front of the "
                                     "instruction that is meant",
                                     index_.text(name))
                       : did_you_mean(index_.text(name), known,
                                      known.size() == 1 ? "its only label is" : "its labels are");
  }

  Span span(std::size_t k) const { return entry_.places.instruction_name(position_, k); }

  ProgramIndex& index_;
  VersionEntry& entry_;
  std::uint32_t position_ = 0;
  std::size_t next_ = 0;            // number of the next name of the instruction
  std::vector<std::size_t> frames_; // numbers of the names with which frames start
};

} // namespace

void check_names(ProgramIndex& index) {
  for (VersionEntry& entry : index.versions) {
    NameCheck check(index, entry);
    check.check_context();
    check.check_body();
  }
}

namespace {

void no_main(ProgramIndex& index) {
  const auto& functions = index.program.functions;
  const auto meant = std::find_if(functions.begin(), functions.end(), [&](const Function& f) {
    return closest(index.text(f.name), {"main"}).has_value();
  });
  const bool found = meant != functions.end();
  const Span at =
      found ? index.function_name(static_cast<std::size_t>(meant - functions.begin())) : Span{};
  index.problems.add(Code::NoMain, at, "there is no function `main`").help =
      found ? "did you mean `main`?"
            : "write `function main()`, or put instructions before the first function";
  if (found) index.meant_as_main = &*meant;
}

void check_main(ProgramIndex& index) {
  const auto& functions = index.program.functions;
  const auto main = std::find_if(functions.begin(), functions.end(),
                                 [&](const Function& f) { return index.is_main(f); });
  if (main == functions.end())
    no_main(index);
  else if (!main->params.empty())
    index.problems
        .add(Code::MainParameters,
             index.parameter(static_cast<std::size_t>(main - functions.begin()), 0),
             "`main` has parameters, but nobody passes it arguments")
        .help = "take the values from the input: `var x` and then `read x`";
}

// Reports each name of the list that occurs in it before; span(k) is the span of the k-th.
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

// The names in the context of a version's header.
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
  for (const Stmt& stmt : version.body) count += stmt.leading.labels.size();
  return count;
}

// The entry label of a continuation may occur once more, at its first position.
void check_labels(ProgramIndex& index, const VersionEntry& entry) {
  if (count_labels(entry.version) + (entry.version.cont ? 1 : 0) == entry.labels.size()) return;
  std::unordered_map<Label, Span> seen;
  const auto check = [&](std::uint32_t position, std::size_t k) {
    const Label label = entry.places.leading(position).labels[k];
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
    for (std::size_t k = 0; k < entry.places.leading(position).labels.size(); ++k)
      check(position, k);
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
