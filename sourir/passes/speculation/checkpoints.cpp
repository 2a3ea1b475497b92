#include "sourir/passes/speculation/checkpoints.h"

#include "sourir/passes/core/correspondence.h"
#include "sourir/passes/core/renaming.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/program_index.h"

#include <algorithm>

namespace sourir {
namespace {

// Whether the instruction has an effect, which an exit after it to a place before it would repeat.
bool has_effect(const Instruction& instr) {
  return std::holds_alternative<Call>(instr) || std::holds_alternative<Print>(instr) ||
         std::holds_alternative<Read>(instr) || std::holds_alternative<ArrayUpdate>(instr);
}

// Calls of a variable: a guard on the callee may follow right before it.
bool calls_variable(const Instruction& instr) {
  const auto* const call = std::get_if<Call>(&instr);
  const auto* const callee = call != nullptr ? std::get_if<SimpleExpr>(&call->callee) : nullptr;
  return callee != nullptr && std::holds_alternative<Var>(*callee);
}

bool wanted(VersionTask& task, Position at) {
  if (task.input.options.flag("only")) return false;
  if (at == 0) return true;
  const Block& block = task.facts.cfg()[task.facts.cfg().block_of(at)];
  const Instruction& before = task.version.body[at - 1].instr;
  if (block.begin == at && block.predecessors.size() > 1) return true;
  if (block.begin != at && exit_of(before) != nullptr) return false;
  return has_effect(before) || calls_variable(task.version.body[at].instr) ||
         task.input.options.flag("everywhere");
}

Instruction checkpoint(const PassOptions& options, Metadata exit) {
  if (options.text("as") == "assume") return Assume{{}, std::move(exit)};
  return Anchor{std::move(exit)};
}

// Whether the option `at` names a label of the corresponding position of the next version.
bool named(const PassInput& input, const Version& source, Position at) {
  if (at >= source.body.size() || !input.options.has("at")) return false;
  const auto names = input.options.list("at");
  const auto& labels = source.body[at].leading.labels;
  return std::any_of(labels.begin(), labels.end(), [&](Label label) {
    return std::find(names.begin(), names.end(), input.names.text(label)) != names.end();
  });
}

// `labels` collects those that the next version needs.
void insert(VersionTask& task, const Version& source, const ExitTargets& targets,
            TargetLabels& labels) {
  const auto places = corresponding_positions(task.version, source);
  VersionAnalyses after(task.input.program, task.function, source, targets);
  for (Position at = 0; at < task.version.body.size(); ++at) {
    const Instruction& instr = task.version.body[at].instr;
    if (!places[at] || exit_of(instr) != nullptr || !task.facts.cfg().reachable(at) ||
        !(wanted(task, at) || named(task.input, source, *places[at])))
      continue;
    const Position to = *places[at];
    const auto& scope = after.scopes()[to];
    if (!scope) continue;
    task.edit.insert(
        at, checkpoint(task.input.options,
                       identity_exit(task.function.name, source.name, labels.at(to), *scope)));
  }
}

// Made by fresh-version:anchor, and not yet finished by lower-anchors.
bool is_fresh(const Version& version) {
  return !version.body.empty() && std::holds_alternative<Anchor>(version.body.front().instr);
}

} // namespace

std::optional<PassResult> checkpoints(const PassInput& input) {
  const ExitTargets targets(input.program);
  std::unordered_map<std::uint64_t, TargetLabels> needed;
  auto result = rewrite_versions(input, [&](VersionTask& task) {
    const Version* const source = next_version(task.function, task.version);
    if (source == nullptr) {
      task.remarks.push_back("checkpoints: " + std::string(input.names.text(task.function.name)) +
                             " has no version to go back to (fresh-version makes one)");
      return;
    }
    if (input.options.flag("fresh") && !is_fresh(task.version)) return;
    const auto labels = needed.emplace(version_key(task.function.name, source->name),
                                       TargetLabels(*source, input.names));
    insert(task, *source, targets, labels.first->second);
  });
  if (!result) return std::nullopt;
  for (Function& function : result->program.functions)
    for (Version& version : function.versions)
      if (const auto found = needed.find(version_key(function.name, version.name));
          found != needed.end())
        found->second.add_to(version);
  return result;
}

} // namespace sourir
