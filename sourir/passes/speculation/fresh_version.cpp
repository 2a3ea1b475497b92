#include "sourir/passes/speculation/fresh_version.h"

#include "sourir/passes/core/renaming.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/exits.h"

#include <algorithm>

namespace sourir {
namespace {

bool speaks_of(const Feedback& feedback, FunName function, VerName version) {
  const auto there = [&](const auto& row) {
    return row.at.function == function && row.at.version == version;
  };
  return std::any_of(feedback.branches.begin(), feedback.branches.end(), there) ||
         std::any_of(feedback.predicates.begin(), feedback.predicates.end(), there);
}

// Whether there is a later version for the same calls, of which this one is the optimized copy.
bool is_copy(const Function& function, const Version& active) {
  return std::any_of(function.versions.begin(), function.versions.end(), [&](const Version& v) {
    return &v > &active && !v.cont && v.when == active.when;
  });
}

// The name of the copy; empty: none is made.
std::optional<VerName> name_of_copy(const PassInput& input, const Function& function,
                                    const Version& active, const ExitTargets& targets) {
  FreshNames fresh(input.names);
  for (const Version& v : function.versions) fresh.use(v.name);
  if (const auto wanted = input.options.text("name"); !wanted.empty()) {
    const auto name = input.names.intern<VerName>(wanted);
    return find_version(function, name) == nullptr ? std::optional(name) : std::nullopt;
  }
  if (is_copy(function, active) && !targets.frozen(function.name, active.name) &&
      !speaks_of(input.feedback, function.name, active.name))
    return std::nullopt;
  return fresh.fresh<VerName>("opt");
}

// Labels that only exits use, notes and comments stay in the old version.
LeadingTrivia jump_labels(const LeadingTrivia& leading, const TargetLabels& labels) {
  LeadingTrivia kept;
  for (const Label label : leading.labels)
    if (!labels.only_for_exits(label)) kept.labels.push_back(label);
  return kept;
}

Instruction copied(const Instruction& instr, FunName function, VerName from, Position at,
                   Scope scope, TargetLabels& labels) {
  if (const auto* const assume = std::get_if<Assume>(&instr))
    return Assume{assume->guards, identity_exit(function, from, labels.at(at), scope)};
  if (std::holds_alternative<Anchor>(instr))
    return Anchor{identity_exit(function, from, labels.at(at), scope)};
  return instr;
}

Version copy_of(FunName function, const Version& from, VerName name, const Scopes& scopes,
                TargetLabels& labels, bool anchor) {
  Version copy{name, {}, from.when, {}, jump_labels(from.end, labels), {}};
  copy.body.reserve(from.body.size() + 1);
  if (anchor)
    copy.body.push_back({{}, Anchor{identity_exit(function, from.name, labels.at(0), *scopes[0])}});
  for (Position at = 0; at < from.body.size(); ++at) {
    const Stmt& stmt = from.body[at];
    copy.body.push_back({jump_labels(stmt.leading, labels),
                         scopes[at]
                             ? copied(stmt.instr, function, from.name, at, *scopes[at], labels)
                             : stmt.instr});
  }
  return copy;
}

VersionOrigin identity(FunName function, VerName copy, VerName from, std::size_t size,
                       bool anchor) {
  VersionOrigin origin{function, copy, {function, from, {}, 0}, {}, {}, {}, {}};
  if (anchor) origin.positions.emplace_back(0);
  for (Position at = 0; at <= size; ++at) origin.positions.emplace_back(at);
  return origin;
}

} // namespace

std::optional<PassResult> fresh_version(const PassInput& input) {
  const ExitTargets targets(input.program);
  PassResult result;
  for (std::size_t f = 0; f < input.program.functions.size(); ++f) {
    const Function& function = input.program.functions[f];
    const Version* const active = active_version(function);
    if (active == nullptr || !selected(input, function.name)) continue;
    const auto name = name_of_copy(input, function, *active, targets);
    if (!name) continue;
    VersionAnalyses facts(input.program, function, *active, targets);
    TargetLabels labels(*active, input.names);
    const bool anchor = input.options.flag("anchor");
    Version copy = copy_of(function.name, *active, *name, facts.scopes(), labels, anchor);
    if (result.rewrites == 0) result.program = input.program;
    Function& changed = result.program.functions[f];
    labels.add_to(changed.versions[static_cast<std::size_t>(active - function.versions.data())]);
    changed.implicit = false;
    result.origins.push_back(
        identity(function.name, *name, active->name, active->body.size(), anchor));
    changed.versions.insert(changed.versions.begin(), std::move(copy));
    ++result.rewrites;
  }
  return result.rewrites > 0 ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace sourir
