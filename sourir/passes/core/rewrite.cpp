#include "sourir/passes/core/rewrite.h"

#include "sourir/syntax/traverse.h"

#include <algorithm>

namespace sourir {

FreshNames names_in(const Function& function, const Version& version, Names& names) {
  FreshNames fresh(names);
  for (const Var x : function.params) fresh.use(x);
  if (version.cont) {
    fresh.use(version.cont->entry);
    for (const Var x : version.cont->names) fresh.use(x);
  }
  for (const Stmt& stmt : version.body) {
    for (const Label label : stmt.leading.labels) fresh.use(label);
    for_each_name(stmt.instr, [&](NameUse use) { fresh.use(Var{use.id}); });
  }
  for (const Label label : version.end.labels) fresh.use(label);
  return fresh;
}

FreshNames VersionTask::fresh_names() const { return names_in(function, version, input.names); }

bool selected(const PassInput& input, FunName function) {
  if (!input.options.has("functions")) return true;
  const auto named = input.options.list("functions");
  return std::find(named.begin(), named.end(), input.names.text(function)) != named.end();
}

const Version* version_of_part(const PassInput& input, FunName function, VerName version) {
  if (input.part == nullptr) return nullptr;
  const Function* const there = find_function(*input.part, function);
  return there == nullptr ? nullptr : find_version(*there, version);
}

std::optional<std::size_t> rewritable_version(const Function& function,
                                              const ExitTargets& targets) {
  const Version* const active = active_version(function);
  if (active == nullptr || targets.frozen(function.name, active->name)) return std::nullopt;
  return static_cast<std::size_t>(active - function.versions.data());
}

Program with_versions(const Program& program, std::vector<NewVersion> changed) {
  Program result;
  result.functions.reserve(program.functions.size());
  auto next = changed.begin();
  for (std::size_t f = 0; f < program.functions.size(); ++f) {
    const Function& function = program.functions[f];
    if (next == changed.end() || next->function != f) {
      result.functions.push_back(function);
      continue;
    }
    result.functions.push_back(
        {function.name, function.params, {}, function.implicit, function.comments});
    std::vector<Version>& versions = result.functions.back().versions;
    versions.reserve(function.versions.size() + 1);
    for (std::size_t v = 0; v < function.versions.size(); ++v)
      if (next != changed.end() && next->function == f && next->version == v)
        versions.push_back(std::move((next++)->now));
      else
        versions.push_back(function.versions[v]);
  }
  return result;
}

std::optional<PassResult> rewrite_versions(const PassInput& input,
                                           const std::function<void(VersionTask&)>& rewrite) {
  std::optional<ExitTargets> own;
  const ExitTargets& targets =
      input.analyses != nullptr ? input.analyses->targets() : own.emplace(input.program);
  std::vector<NewVersion> changed;
  PassResult result;
  const auto change = [&](std::size_t f, std::size_t v, VersionDraft::Done done) {
    changed.push_back({f, v, std::move(done.version)});
    result.origins.push_back(std::move(done.origin));
  };
  for (std::size_t f = 0; f < input.program.functions.size(); ++f) {
    const Function& function = input.program.functions[f];
    const auto v = rewritable_version(function, targets);
    if (!v || !selected(input, function.name)) continue;
    if (input.unchanged != nullptr && (*input.unchanged)[f]) continue;
    const Version& version = function.versions[*v];
    if (version_of_part(input, function.name, version.name) != nullptr) continue;
    VersionEdit edit(function.name, version);
    std::optional<VersionAnalyses> once; // for this pass only
    VersionAnalyses& facts = input.analyses != nullptr
                                 ? input.analyses->of(function, version)
                                 : once.emplace(input.program, function, version, targets);
    VersionTask task{input, function, version, facts, edit, result.remarks};
    rewrite(task);
    if (task.restructured) {
      result.rewrites += task.restructured->rewrites;
      change(f, *v, std::move(task.restructured->done));
    } else if (edit.rewrites() > 0) {
      result.rewrites += edit.rewrites();
      change(f, *v, std::move(edit).finish());
    } else if (input.unchanged != nullptr) {
      (*input.unchanged)[f] = true;
    }
  }
  if (changed.empty()) {
    if (input.remarks != nullptr) *input.remarks = std::move(result.remarks);
    return std::nullopt;
  }
  result.program = with_versions(input.program, std::move(changed));
  return result;
}

} // namespace sourir
