#include "sourir/passes/core/target_labels.h"

#include "sourir/syntax/scopes.h"
#include "sourir/syntax/successors.h"

#include <algorithm>

namespace sourir {

TargetLabels::TargetLabels(const Version& version, Names& names)
    : version_(version), names_(names) {
  for (const auto& [label, position] : label_positions(version)) taken_.insert(label);
  for (const Stmt& stmt : version.body) {
    const Successors next = successors(stmt.instr);
    for (const Label* const label : {next.first, next.second})
      if (label != nullptr) jumped_to_.insert(*label);
  }
}

Label TargetLabels::at(std::uint32_t position) {
  const Marks& marks =
      position < version_.body.size() ? version_.body[position].marks : version_.end;
  const auto here = std::find_if(marks.labels.begin(), marks.labels.end(),
                                 [&](Label label) { return only_for_exits(label); });
  if (here != marks.labels.end()) return *here;
  const auto [added, fresh] = added_.try_emplace(position);
  if (fresh) do {
      added->second = names_.intern<Label>("L" + std::to_string(next_++));
    } while (!taken_.insert(added->second).second);
  return added->second;
}

void TargetLabels::add_to(Version& version) const {
  for (const auto& [position, label] : added_) {
    Marks& marks = position < version.body.size() ? version.body[position].marks : version.end;
    const auto slot = static_cast<std::uint32_t>(marks.labels.size());
    for (Comment& c : marks.comments)
      if (c.slot >= slot) ++c.slot;
    marks.labels.push_back(label);
  }
}

Metadata identity_exit(FunName function, VerName version, Label label,
                       const std::vector<Var>& scope) {
  Metadata exit;
  exit.frame.target = {function, version, label, 0};
  for (const Var x : scope) exit.frame.varmap.push_back({x, SimpleExpr(x)});
  return exit;
}

} // namespace sourir
