#include "sourir/passes/lower_anchors.h"

#include "sourir/passes/rewrite.h"
#include "sourir/syntax/exit_frames.h"
#include "sourir/syntax/program_positions.h"
#include "sourir/syntax/successors.h"

#include <algorithm>
#include <unordered_set>

namespace sourir {
namespace {

void remove_labels(Marks& marks, const std::unordered_set<Label>& gone) {
  for (std::size_t k = marks.labels.size(); k-- > 0;) {
    if (!gone.contains(marks.labels[k])) continue;
    marks.labels.erase(marks.labels.begin() + static_cast<std::ptrdiff_t>(k));
    for (Comment& c : marks.comments)
      if (c.slot > k) --c.slot;
  }
}

// The labels that nothing uses any more. Where they stood before the anchors came is not asked: the
// result must not depend on whether there were anchors once before.
std::unordered_set<Label> unused_labels(const Version& version, const std::vector<Label>& used) {
  std::unordered_set<Label> gone(version.end.labels.begin(), version.end.labels.end());
  for (const Stmt& stmt : version.body)
    gone.insert(stmt.marks.labels.begin(), stmt.marks.labels.end());
  for (const Label label : used) gone.erase(label);
  for (const Stmt& stmt : version.body) {
    const Successors next = successors(stmt.instr);
    for (const Label* const label : {next.first, next.second})
      if (label != nullptr) gone.erase(*label);
  }
  if (version.cont) gone.erase(version.cont->entry);
  return gone;
}

// Which there are.
std::uint64_t count_unused(const Program& program, const ExitTargets& targets) {
  std::uint64_t count = 0;
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      count += unused_labels(v, targets.labels(f.name, v.name)).size();
  return count;
}

void remove_unused_labels(Program& program, const ExitTargets& targets) {
  for (Function& f : program.functions)
    for (Version& v : f.versions) {
      const auto gone = unused_labels(v, targets.labels(f.name, v.name));
      if (gone.empty()) continue;
      for (Stmt& stmt : v.body) remove_labels(stmt.marks, gone);
      remove_labels(v.end, gone);
    }
}

} // namespace

std::optional<PassResult> lower_anchors(const PassInput& input) {
  auto result = rewrite_versions(input, [](VersionTask& task) {
    for (Position at = 0; at < task.version.body.size(); ++at)
      if (std::holds_alternative<Anchor>(task.version.body[at].instr)) task.edit.remove(at);
  });
  const Program& program = result ? result->program : input.program;
  const ExitTargets targets(program);
  const std::uint64_t unused = count_unused(program, targets);
  if (unused == 0) return result;
  if (!result) result.emplace().program = input.program;
  remove_unused_labels(result->program, targets);
  result->rewrites += unused;
  return result;
}

} // namespace sourir
