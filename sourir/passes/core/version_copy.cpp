#include "sourir/passes/core/version_copy.h"

#include "sourir/syntax/exits.h"

#include <algorithm>

namespace sourir {
namespace {

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

} // namespace

bool has_exits(const Version& version) {
  return std::ranges::any_of(version.body,
                             [](const Stmt& s) { return exit_of(s.instr) != nullptr; });
}

Version copy_of(FunName function, const Version& from, VerName name, const Scopes& scopes,
                TargetLabels& labels) {
  Version copy{name, {}, from.when, {}, jump_labels(from.end, labels), {}};
  copy.body.reserve(from.body.size() + 1);
  for (Position at = 0; at < from.body.size(); ++at) {
    const Stmt& stmt = from.body[at];
    copy.body.push_back({jump_labels(stmt.leading, labels),
                         scopes[at]
                             ? copied(stmt.instr, function, from.name, at, *scopes[at], labels)
                             : stmt.instr});
  }
  return copy;
}

VersionOrigin origin_of_copy(FunName function, VerName copy, const Version& from) {
  VersionOrigin origin{function, copy, {function, from.name, {}, 0}, {}, {}, {}, {}};
  origin.positions.reserve(from.body.size() + 2);
  for (Position at = 0; at <= from.body.size(); ++at) origin.positions.emplace_back(at);
  return origin;
}

} // namespace sourir
