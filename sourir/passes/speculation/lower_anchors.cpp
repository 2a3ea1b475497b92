#include "sourir/passes/speculation/lower_anchors.h"

#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/program_index.h"
#include "sourir/syntax/successors.h"

#include <algorithm>
#include <iterator>

namespace sourir {
namespace {

using LabelSet = std::vector<Label>; // in ascending order, each once

void put_in_order(LabelSet& labels) {
  std::sort(labels.begin(), labels.end());
  labels.erase(std::unique(labels.begin(), labels.end()), labels.end());
}

void remove_labels(LeadingTrivia& leading, const LabelSet& gone) {
  for (std::size_t k = leading.labels.size(); k-- > 0;) {
    if (!std::binary_search(gone.begin(), gone.end(), leading.labels[k])) continue;
    leading.labels.erase(leading.labels.begin() + static_cast<std::ptrdiff_t>(k));
    for (Comment& c : leading.comments)
      if (c.slot > k) --c.slot;
  }
}

void add_labels(const Version& version, LabelSet& labels) {
  for (const Stmt& stmt : version.body)
    labels.insert(labels.end(), stmt.leading.labels.begin(), stmt.leading.labels.end());
  labels.insert(labels.end(), version.end.labels.begin(), version.end.labels.end());
}

// The labels that nothing uses any more, also those that were there before the anchors: the result
// must not depend on whether there were anchors.
LabelSet unused_labels(const Version& version, const LabelSet& targeted) {
  LabelSet all, used = targeted, gone;
  add_labels(version, all);
  for (const Stmt& stmt : version.body) {
    const Successors next = successors(stmt.instr);
    for (const Label* const label : {next.first, next.second})
      if (label != nullptr) used.push_back(*label);
  }
  if (version.cont) used.push_back(version.cont->entry);
  put_in_order(all), put_in_order(used);
  std::set_difference(all.begin(), all.end(), used.begin(), used.end(), std::back_inserter(gone));
  return gone;
}

struct Unused {
  std::size_t function, version; // indices
  LabelSet labels;
};

std::vector<Unused> unused_labels(const PassInput& input, const Program& program) {
  const ExitTargets targets(program);
  std::vector<Unused> found;
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const Function& function = program.functions[f];
    for (std::size_t v = 0; v < function.versions.size(); ++v) {
      const Version& version = function.versions[v];
      LabelSet targeted = targets.labels(function.name, version.name);
      if (const Version* const before = version_of_part(input, function.name, version.name))
        add_labels(*before, targeted);
      auto labels = unused_labels(version, targeted);
      if (!labels.empty()) found.push_back({f, v, std::move(labels)});
    }
  }
  return found;
}

} // namespace

std::optional<PassResult> lower_anchors(const PassInput& input) {
  auto result = rewrite_versions(input, [](VersionTask& task) {
    for (Position at = 0; at < task.version.body.size(); ++at)
      if (std::holds_alternative<Anchor>(task.version.body[at].instr)) task.edit.remove(at);
  });
  const auto unused = unused_labels(input, result ? result->program : input.program);
  if (unused.empty()) return result;
  if (!result) result.emplace().program = input.program;
  for (const Unused& gone : unused) {
    Version& version = result->program.functions[gone.function].versions[gone.version];
    for (Stmt& stmt : version.body) remove_labels(stmt.leading, gone.labels);
    remove_labels(version.end, gone.labels);
    result->rewrites += gone.labels.size();
  }
  return result;
}

} // namespace sourir
