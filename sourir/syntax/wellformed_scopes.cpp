#include "sourir/syntax/context.h"
#include "sourir/syntax/habits.h"
#include "sourir/syntax/metadata.h"
#include "sourir/syntax/program_index.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/suggest.h"
#include "sourir/syntax/traverse.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace sourir {
namespace {

// --- The scope phase of check_wellformed for one version: variables, annotations, ends and joins
// at every position that a root reaches
class ScopeCheck : public ScopeObserver {
public:
  // `scope` is work space.
  ScopeCheck(ProgramIndex& index, VersionEntry& entry, ScopeSet& scope)
      : index_(index), entry_(entry), scope_(scope) {}

  void run();

  void at(std::uint32_t position, const ScopeSet& scope) override;
  void differs(std::uint32_t source, std::uint32_t target, const ScopeSet& scope) override;

private:
  void check_names(std::uint32_t position, const ScopeSet& scope);
  void check_exit_names(std::uint32_t position, const Metadata& exit, const ScopeSet& scope);
  void check_annotation(std::uint32_t position, std::size_t k, const ScopeSet& scope);
  void check_end(std::uint32_t position);
  void mark_live(std::uint32_t position);

  void require(Var name, std::uint32_t position, std::size_t k, const ScopeSet& scope) {
    if (!scope.contains(name) && !faulty(name)) out_of_scope(name, position, k, scope);
  }
  void refuse(Var name, std::uint32_t position, std::size_t k, const ScopeSet& scope) {
    if (scope.contains(name) && !faulty(name))
      redeclared(name, entry_.places.instruction_name(position, k), scope);
  }
  Diagnostic& out_of_scope(Var name, std::uint32_t position, std::size_t k, const ScopeSet& scope);
  // Adds notes on other uses of the name in the version, or a suggestion.
  void explain_out_of_scope(Diagnostic& problem, Var name, std::uint32_t position,
                            const ScopeSet& scope) const;
  // Adds the help for a variable that only another function declares; false if none does.
  bool explain_other_function(Diagnostic& problem, Var name) const;
  void redeclared(Var name, Span at, const ScopeSet& scope);
  void bad_deferred(Var name, Span at);

  void scope_mismatch(std::uint32_t source, std::uint32_t target, const ScopeSet& scope,
                      const ScopeSet& other, const std::vector<Var>& only_here,
                      const std::vector<Var>& only_there);
  void declaration_mismatch(std::uint32_t source, std::uint32_t target, const ScopeSet& scope,
                            const ScopeSet& other, const std::vector<Var>& names);

  // The span at which control goes from `source` to `target`.
  Span edge(std::uint32_t source, std::uint32_t target) const;
  Note first_edge(std::uint32_t target, const ScopeSet& other) const;
  Note declaration(Var name, Declaration declaration) const;
  bool faulty(Var name) const { return !entry_.faulty.empty() && entry_.faulty.contains(name); }

  ProgramIndex& index_;
  VersionEntry& entry_;
  ScopeSet& scope_;
};

} // namespace

// --- positions to which two edges bring different scopes

void ScopeCheck::differs(std::uint32_t source, std::uint32_t target, const ScopeSet& scope) {
  const ScopeSet* other = index_.scope_at(entry_, target);
  if (!other) return;
  std::vector<Var> only_here, only_there, declared_apart;
  scope.for_each([&](Var name, Declaration here) {
    const Declaration there = other->declaration(name);
    if (faulty(name) || here.agrees_with(there)) return;
    (there == Declaration() ? only_here : declared_apart).push_back(name);
  });
  other->for_each([&](Var name, Declaration) {
    if (!scope.contains(name) && !faulty(name)) only_there.push_back(name);
  });
  if (!only_here.empty() || !only_there.empty())
    scope_mismatch(source, target, scope, *other, only_here, only_there);
  if (!declared_apart.empty()) declaration_mismatch(source, target, scope, *other, declared_apart);
  for (const auto& names : {only_here, only_there, declared_apart})
    entry_.faulty.insert(names.begin(), names.end());
}

void ScopeCheck::scope_mismatch(std::uint32_t source, std::uint32_t target, const ScopeSet& scope,
                                const ScopeSet& other, const std::vector<Var>& only_here,
                                const std::vector<Var>& only_there) {
  const std::string label = entry_.places.leading(target).labels.empty() && target != 0
                                ? "the end"
                                : index_.label_at(entry_, target);
  std::string words;
  if (!only_here.empty()) words = fmt::format("only this one brings {}", index_.quoted(only_here));
  if (!only_there.empty())
    words += fmt::format("{}only the other one brings {}", words.empty() ? "" : ", ",
                         index_.quoted(only_there));
  Diagnostic& problem = index_.problems.add(
      Code::ScopeMismatch, edge(source, target),
      fmt::format("the ways to {} bring different variables: {}", label, words));
  problem.notes.push_back(
      {edge(source, target), fmt::format("in scope on this way: {}", index_.braced(scope))});
  problem.notes.push_back(first_edge(target, other));
  problem.help = only_here.empty()
                     ? fmt::format("on the other way, `drop {}` before the jump; or declare it "
                                   "before the ways part",
                                   index_.text(only_there.front()))
                     : fmt::format("`drop {}` before going to {}; or declare it before the ways "
                                   "part",
                                   index_.text(only_here.front()), label);
}

void ScopeCheck::declaration_mismatch(std::uint32_t source, std::uint32_t target,
                                      const ScopeSet& scope, const ScopeSet& other,
                                      const std::vector<Var>& names) {
  Diagnostic& problem =
      index_.problems.add(Code::DeclarationMismatch, edge(source, target),
                          fmt::format("the ways to {} bring {} from different declarations",
                                      index_.label_at(entry_, target), index_.quoted(names)));
  problem.notes.push_back(
      {edge(source, target), fmt::format("in scope on this way: {}", index_.braced(scope))});
  problem.notes.push_back(declaration(names.front(), scope.declaration(names.front())));
  problem.notes.push_back(first_edge(target, other));
  problem.notes.push_back(declaration(names.front(), other.declaration(names.front())));
  problem.help = fmt::format("declare {} once, before the ways part, and assign to it on each",
                             index_.quoted(names.front()));
}

Span ScopeCheck::edge(std::uint32_t source, std::uint32_t target) const {
  if (source == ScopeFlow::kNone)
    return target == 0 ? entry_.places.name() : entry_.places.position(target);
  Span span = entry_.places.instruction(source);
  std::size_t k = 0;
  for_each_name(entry_.version.body[source].instr, [&](NameUse use) {
    const bool jump = use.role == NameRole::BranchTarget || use.role == NameRole::GotoTarget;
    if (const auto label = entry_.labels.find(Label{use.id});
        jump && label != entry_.labels.end() && label->second == target)
      span = entry_.places.instruction_name(source, k);
    ++k;
  });
  return span;
}

Note ScopeCheck::first_edge(std::uint32_t target, const ScopeSet& other) const {
  const std::uint32_t source = entry_.flow.first_source(target);
  const std::string names = index_.braced(other);
  if (source != ScopeFlow::kNone)
    return {edge(source, target), fmt::format("in scope on the other way, from here: {}", names)};
  return {edge(source, target), target == 0 ? fmt::format("the version starts with {}", names)
                                            : fmt::format("exits that come here bring {}", names)};
}

Note ScopeCheck::declaration(Var name, Declaration declaration) const {
  const std::string quoted = index_.quoted(name);
  if (declaration.is_position())
    return {entry_.places.instruction(declaration.position()),
            fmt::format("{} is declared here", quoted)};
  if (declaration == Declaration::exit())
    return {entry_.places.name(),
            fmt::format("an exit that comes to this version brings {}", quoted)};
  const auto& names = entry_.start_names();
  std::size_t k = 0;
  while (k < names.size() && names[k] != name) ++k;
  return {entry_.version.cont ? entry_.places.header(1 + k)
                              : index_.parameter(entry_.function_number, k),
          fmt::format("{} is declared here", quoted)};
}

void ScopeCheck::run() {
  entry_.flow.run(0, entry_.start_names(), Declaration::parameter(), scope_, *this);
  for (const std::size_t number : entry_.arriving) {
    const ResolvedFrame& frame = index_.frames[number];
    if (entry_.flow.reached(frame.target_position)) continue;
    const Metadata& exit = *exit_of(frame.origin->version.body[frame.position].instr);
    entry_.flow.run(frame.target_position, frame_at(exit, frame.number).domain(),
                    Declaration::exit(), scope_, *this);
  }
}

void ScopeCheck::at(std::uint32_t position, const ScopeSet& scope) {
  for (std::size_t k = 0; k < entry_.places.leading(position).scopes.size(); ++k)
    check_annotation(position, k, scope);
  if (position == entry_.version.body.size()) {
    check_end(position);
  } else if (const Metadata* exit = exit_of(entry_.version.body[position].instr)) {
    mark_live(position);
    check_exit_names(position, *exit, scope);
  } else {
    check_names(position, scope);
  }
}

void ScopeCheck::check_names(std::uint32_t position, const ScopeSet& scope) {
  std::size_t k = 0;
  for_each_name(entry_.version.body[position].instr, [&](NameUse use) {
    switch (use.role) {
    case NameRole::Declare: refuse(Var{use.id}, position, k, scope); break;
    case NameRole::Use:
    case NameRole::Assign:
    case NameRole::Update:
    case NameRole::Drop: require(Var{use.id}, position, k, scope); break;
    default: // labels and functions; the other roles occur in exits only
      break;
    }
    ++k;
  });
}

// Guards may use the scope at the position; instructions of the block also the names made above
// them in the block; varmaps all names of the block.
void ScopeCheck::check_exit_names(std::uint32_t position, const Metadata& exit,
                                  const ScopeSet& scope) {
  const WithBlock block(exit.with);
  std::size_t k = 0, deferred = 0; // deferred: from 1, the instruction of the block
  const auto made_above = [&](Var name) {
    const WithBlock::Made* made = block.find(name);
    return made && made->by + 1 < deferred ? made : nullptr;
  };
  const auto check = [&](NameRole role, Var name) {
    const auto span = [&] { return entry_.places.instruction_name(position, k); };
    if (role == NameRole::Use && !scope.contains(name) && !faulty(name)) {
      Diagnostic& problem = out_of_scope(name, position, k, scope);
      if (block.find(name)) problem.help = "the `with` block runs after the guards";
    } else if (role == NameRole::ExitUse && !block.find(name)) {
      require(name, position, k, scope);
    } else if (role == NameRole::WithUse && !made_above(name)) {
      require(name, position, k, scope);
    } else if (role == NameRole::WithDeclare) {
      ++deferred;
      refuse(name, position, k, scope);
      if (made_above(name))
        index_.problems.add(Code::Redeclared, span(),
                            fmt::format("the block makes {} twice", index_.quoted(name)));
    } else if (role == NameRole::WithUpdate) {
      ++deferred;
      const WithBlock::Made* made = made_above(name);
      if (!made) require(name, position, k, scope);
      if (made ? !made->array : scope.contains(name)) bad_deferred(name, span());
    }
  };
  for_each_name(entry_.version.body[position].instr, [&](NameUse use) {
    check(use.role, Var{use.id});
    ++k;
  });
}

void ScopeCheck::check_annotation(std::uint32_t position, std::size_t k, const ScopeSet& scope) {
  const ScopeNote& note = entry_.places.leading(position).scopes[k];
  std::unordered_set<Var> listed;
  std::vector<Var> missing, extra;
  for (const Var name : note.names)
    if (listed.insert(name).second && !scope.contains(name) && !faulty(name))
      missing.push_back(name);
  if (!note.open && (!missing.empty() || listed.size() != scope.hash().size))
    scope.for_each([&](Var name, Declaration) {
      if (!listed.contains(name) && !faulty(name)) extra.push_back(name);
    });
  if (missing.empty() && extra.empty()) return;
  const auto part = [&](const std::vector<Var>& names, std::string_view words) {
    return names.empty() ? ""
                         : fmt::format("{} {} {}", index_.quoted(names),
                                       names.size() == 1 ? "is" : "are", words);
  };
  index_.problems
      .add(Code::AnnotationFails, entry_.places.annotation(position, k),
           fmt::format("this annotation does not hold: {}{}{}", part(missing, "not in scope"),
                       missing.empty() || extra.empty() ? "" : "; ",
                       part(extra, "in scope but not listed")))
      .help = fmt::format("in scope here: {}", index_.braced(scope));
}

// In main, running off the end is `stop 0`.
void ScopeCheck::check_end(std::uint32_t position) {
  if (index_.is_main(entry_.function) || entry_.version.body.empty()) return;
  const std::uint32_t source = entry_.flow.first_source(position);
  index_.problems
      .add(Code::FallsOffEnd, edge(source, position),
           fmt::format("from here control runs off the end of version {} of {}",
                       index_.quoted(entry_.version.name), index_.quoted(entry_.function.name)))
      .help = "end every way through it with `return`, `stop` or `goto`";
}

void ScopeCheck::mark_live(std::uint32_t position) {
  const auto begin = index_.frames.begin() + static_cast<std::ptrdiff_t>(entry_.frames_begin);
  const auto end = index_.frames.begin() + static_cast<std::ptrdiff_t>(entry_.frames_end);
  auto frame = std::lower_bound(begin, end, position, [](const ResolvedFrame& f, std::uint32_t at) {
    return f.position < at;
  });
  for (; frame != end && frame->position == position; ++frame) frame->live = true;
}

Diagnostic& ScopeCheck::out_of_scope(Var name, std::uint32_t position, std::size_t k,
                                     const ScopeSet& scope) {
  entry_.faulty.insert(name);
  Diagnostic& problem =
      index_.problems.add(Code::OutOfScope, entry_.places.instruction_name(position, k),
                          fmt::format("{} is not in scope here", index_.quoted(name)));
  if (index_.details()) explain_out_of_scope(problem, name, position, scope);
  return problem;
}

void ScopeCheck::explain_out_of_scope(Diagnostic& problem, Var name, std::uint32_t position,
                                      const ScopeSet& scope) const {
  const auto& body = entry_.version.body;
  const auto note = [&](const Var* ScopeEffect::* change, std::string_view word) {
    for (std::uint32_t at = 0; at < body.size(); ++at) {
      const Var* changed = scope_effect(body[at].instr).*change;
      if (at == position || !changed || *changed != name) continue;
      problem.notes.push_back(
          {entry_.places.instruction(at), fmt::format("{} is {} here", index_.quoted(name), word)});
      return;
    }
  };
  note(&ScopeEffect::declares, "declared");
  note(&ScopeEffect::drops, "dropped");
  const Var* declared_here = scope_effect(body[position].instr).declares;
  if (declared_here && *declared_here == name) {
    problem.help = "the name is in scope only after its declaration";
    return;
  }
  if (!problem.notes.empty()) return;
  if (std::string help = habit_of_name(index_.text(name)); !help.empty()) {
    problem.help = std::move(help);
    return;
  }
  if (index_.function(FunName{name.id})) {
    problem.help = fmt::format("a function is written with a quote: `'{}`", index_.text(name));
    return;
  }
  const auto* call = std::get_if<Call>(&body[position].instr);
  if (call != nullptr && call->callee == Expr(SimpleExpr(name))) {
    problem.help = habit_of_call(index_.text(name));
    if (!problem.help.empty()) return;
  }
  if (explain_other_function(problem, name)) return;
  std::vector<std::string_view> known;
  for (const Var candidate : scope.names()) known.push_back(index_.text(candidate));
  const auto meant = closest(index_.text(name), known);
  problem.help = meant ? fmt::format("did you mean `{}`?", *meant)
                       : fmt::format("declare it before: `var {}`", index_.text(name));
}

bool ScopeCheck::explain_other_function(Diagnostic& problem, Var name) const {
  for (const VersionEntry& other : index_.versions) {
    if (&other.function == &entry_.function) continue;
    const auto& body = other.version.body;
    const auto declares = [&](const Stmt& stmt) {
      const Var* declared = scope_effect(stmt.instr).declares;
      return declared != nullptr && *declared == name;
    };
    const auto& parameters = other.function.params;
    const auto parameter = std::ranges::find(parameters, name);
    const auto stmt = std::ranges::find_if(body, declares);
    if (parameter == parameters.end() && stmt == body.end()) continue;
    const Span at = parameter != parameters.end()
                        ? index_.parameter(other.function_number,
                                           static_cast<std::size_t>(parameter - parameters.begin()))
                        : other.places.instruction(static_cast<std::uint32_t>(stmt - body.begin()));
    problem.notes.push_back(
        {at, fmt::format("this is a variable of {}", index_.quoted(other.function.name))});
    problem.help = fmt::format("a function sees its own variables only: pass {0} as an argument, "
                               "or declare a variable here: `var {1}`",
                               index_.quoted(name), index_.text(name));
    return true;
  }
  return false;
}

void ScopeCheck::redeclared(Var name, Span at, const ScopeSet& scope) {
  entry_.faulty.insert(name);
  Diagnostic& problem = index_.problems.add(
      Code::Redeclared, at, fmt::format("{} is in scope already", index_.quoted(name)));
  problem.notes.push_back(declaration(name, scope.declaration(name)));
  problem.help = fmt::format("to change its value: `{0} <- ...`; to start anew: `drop {0}` before",
                             index_.text(name));
}

void ScopeCheck::bad_deferred(Var name, Span at) {
  index_.problems
      .add(Code::BadDeferred, at,
           fmt::format("{} is not an array that this block has made above", index_.quoted(name)))
      .help = "a `with` block stores into arrays of its own only";
}

void check_scopes(ProgramIndex& index) {
  ScopeSet scope;
  for (VersionEntry& entry : index.versions) ScopeCheck(index, entry, scope).run();
}

// --- Exits that a root reaches: bindings of their frames, contexts of their targets, expressions
// that may fail

namespace {

// The numbers of an exit's names among those of its instruction (for_each_name).
struct ExitNames {
  struct Frame {
    std::size_t function; // then the version and the label
    std::size_t result;
    std::vector<std::size_t> names;
  };
  std::vector<Frame> frames;
  std::vector<std::size_t> deferred; // the first name of each instruction of the block

  explicit ExitNames(const Instruction& instruction) {
    std::size_t k = 0;
    for_each_name(instruction, [&](NameUse use) {
      if (use.role == NameRole::ExitFunction)
        frames.push_back({k, k, {}});
      else if (use.role == NameRole::ExitResult)
        frames.back().result = k;
      else if (use.role == NameRole::ExitName)
        frames.back().names.push_back(k);
      else if (use.role == NameRole::WithDeclare || use.role == NameRole::WithUpdate)
        deferred.push_back(k);
      ++k;
    });
  }
};

// The check of one exit: of an assume or an anchor.
class ExitCheck {
public:
  ExitCheck(ProgramIndex& index, const VersionEntry& origin, std::uint32_t position)
      : index_(index), origin_(origin), position_(position),
        instruction_(origin.version.body[position].instr), exit_(*exit_of(instruction_)) {}

  void check_block() {
    if (exit_.with.empty()) return;
    const WithBlock block(exit_.with);
    for (std::size_t i = 0; i < exit_.with.size(); ++i)
      if (const auto reason = may_fail(exit_.with[i].instr, block))
        warn(names().deferred[i], *reason);
  }

  void check_values(const ResolvedFrame& frame) {
    const auto& varmap = *frame_at(exit_, frame.number).varmap;
    for (std::size_t j = 0; j < varmap.size(); ++j)
      if (const auto reason = may_fail(varmap[j].value))
        warn(names().frames[frame.number].names[j], *reason);
  }

  void check_context(const ResolvedFrame& frame) {
    const Version& target = frame.target->version;
    if (may_exit_to(frame.target->function.name, target, origin_.function, origin_.version)) return;
    Diagnostic& problem =
        index_.problems.add(Code::TargetContext, span(names().frames[frame.number].function + 1),
                            fmt::format("the context of {} need not hold for an exit from here",
                                        index_.quoted(target.name)));
    problem.notes.push_back({frame.target->places.name(), "the context stands here"});
    if (const Version* base = base_version(frame.target->function))
      problem.help =
          fmt::format("go to a version without `when`, such as {}", index_.quoted(base->name));
  }

  bool binds_its_target(const ResolvedFrame& frame) const {
    const ExitFrame parts = frame_at(exit_, frame.number);
    ScopeHash bound;
    if (parts.result) bound.add(*parts.result);
    for (const Binding& binding : *parts.varmap) bound.add(binding.name);
    return bound.same_names(frame.target->flow.hash(frame.target_position));
  }

  // `target`: the scope at the target label.
  void report_varmap(const ResolvedFrame& frame, const ScopeSet& target);

private:
  void report_missing(const ResolvedFrame& frame, const std::vector<Var>& missing,
                      const ScopeSet& target);
  Diagnostic& report(Code code, std::size_t k, const ResolvedFrame& frame, std::string message,
                     const ScopeSet& target);
  // The variable that the call in front of an outer frame's target declares; null if there is none.
  static const Var* declared_by_call(const ResolvedFrame& frame);

  void warn(std::size_t k, std::string_view reason) {
    index_.problems
        .add(Code::PartialVarmap, span(k), fmt::format("the exit here could fail: {}", reason))
        .help = "compute it before and write the variable here";
  }
  Span span(std::size_t k) const { return origin_.places.instruction_name(position_, k); }
  const ExitNames& names() {
    if (!names_) names_.emplace(instruction_);
    return *names_;
  }

  ProgramIndex& index_;
  const VersionEntry& origin_;
  std::uint32_t position_;
  const Instruction& instruction_;
  const Metadata& exit_;
  std::optional<ExitNames> names_; // made where there is something to report
};

void ExitCheck::report_varmap(const ResolvedFrame& frame, const ScopeSet& target) {
  const ExitFrame parts = frame_at(exit_, frame.number);
  const auto wrong = [&](Var name) {
    return !target.contains(name) && !frame.target->faulty.contains(name);
  };
  std::unordered_map<Var, std::size_t> bound; // and the number of the name
  if (parts.result) {
    const std::size_t k = names().frames[frame.number].result;
    bound.emplace(*parts.result, k);
    if (wrong(*parts.result))
      report(Code::OuterResult, k, frame,
             fmt::format("{} receives the result, but is not in scope at {}",
                         index_.quoted(*parts.result), index_.place(*parts.target)),
             target);
  }
  for (std::size_t j = 0; j < parts.varmap->size(); ++j) {
    const Var name = (*parts.varmap)[j].name;
    const std::size_t k = names().frames[frame.number].names[j];
    if (const auto [first, fresh] = bound.emplace(name, k); !fresh)
      index_.problems
          .add(Code::VarmapDuplicate, span(k),
               fmt::format("{} is bound twice", index_.quoted(name)))
          .notes.push_back({span(first->second), "it is bound here already"});
    else if (wrong(name))
      report(
          Code::VarmapExtra, k, frame,
          fmt::format("{} is not in scope at {}", index_.quoted(name), index_.place(*parts.target)),
          target);
  }
  std::vector<Var> missing;
  target.for_each([&](Var name, Declaration) {
    if (!bound.contains(name) && !frame.target->faulty.contains(name)) missing.push_back(name);
  });
  if (!missing.empty()) report_missing(frame, missing, target);
}

void ExitCheck::report_missing(const ResolvedFrame& frame, const std::vector<Var>& missing,
                               const ScopeSet& target) {
  const Place& place = *frame_at(exit_, frame.number).target;
  Diagnostic& problem =
      report(Code::VarmapMissing, names().frames[frame.number].function + 2, frame,
             fmt::format("{} {} no value at {}", index_.quoted(missing),
                         missing.size() == 1 ? "gets" : "get", index_.place(place)),
             target);
  const Var* result = declared_by_call(frame);
  if (result != nullptr && std::ranges::count(missing, *result) > 0)
    problem.help = fmt::format("{0} is the result of the call before {1}: the frame begins with "
                               "`var {2} = $`",
                               index_.quoted(*result), index_.place(place), index_.text(*result));
  else
    problem.help = fmt::format("add `var {} = ...` (`nil` will do where the target never looks at "
                               "it)",
                               index_.text(missing.front()));
}

const Var* ExitCheck::declared_by_call(const ResolvedFrame& frame) {
  if (frame.number == 0 || frame.target_position == 0) return nullptr;
  const auto* call =
      std::get_if<Call>(&frame.target->version.body[frame.target_position - 1].instr);
  return call == nullptr ? nullptr : &call->result;
}

Diagnostic& ExitCheck::report(Code code, std::size_t k, const ResolvedFrame& frame,
                              std::string message, const ScopeSet& target) {
  const std::uint32_t position = frame.target_position;
  const bool only_exits =
      position != 0 && frame.target->flow.first_source(position) == ScopeFlow::kNone;
  Diagnostic& problem = index_.problems.add(code, span(k), std::move(message));
  problem.notes.push_back(
      {frame.target->places.position(position),
       fmt::format("{}: {}",
                   only_exits ? "only exits lead there; the first one brings" : "in scope there",
                   index_.braced(target))});
  return problem;
}

void check_frame(ProgramIndex& index, ExitCheck& check, const ResolvedFrame& frame) {
  check.check_context(frame);
  check.check_values(frame);
  if (check.binds_its_target(frame)) return;
  if (const ScopeSet* target = index.scope_at(*frame.target, frame.target_position))
    check.report_varmap(frame, *target);
}

} // namespace

void check_exits(ProgramIndex& index) {
  const auto& frames = index.frames;
  for (std::size_t i = 0; i < frames.size();) {
    const ResolvedFrame& first = frames[i];
    ExitCheck check(index, *first.origin, first.position);
    if (first.live) check.check_block();
    for (; i < frames.size() && frames[i].origin == first.origin &&
           frames[i].position == first.position;
         ++i)
      if (first.live) check_frame(index, check, frames[i]);
  }
}

} // namespace sourir
