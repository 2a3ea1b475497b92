// Positions that two edges bring different scopes to.
#include "sourir/syntax/scope_check.h"
#include "sourir/syntax/traverse.h"

#include <fmt/format.h>

namespace sourir {

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
  const std::string label = entry_.places.marks(target).labels.empty() && target != 0
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

} // namespace sourir
