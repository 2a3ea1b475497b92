#include "sourir/passes/speculation/fresh_version.h"

#include "sourir/passes/core/renaming.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/core/version_copy.h"
#include "sourir/syntax/context.h"

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

// The guards of the copy; empty: it would be for no call, or cannot be said to be for these.
std::optional<std::vector<Expr>> guards_of_copy(const PassInput& input, const Function& function,
                                                const Version& active) {
  const std::vector<Expr> added = context_guards(input);
  if (added.empty()) return active.when;
  if (no_parameter(added, function)) return std::nullopt;
  const Context context = context_of(function, active) & Context::of(function.params, added);
  return context.is_never() ? std::nullopt : context.guards(function.params);
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

void begin_with_anchor(Version& copy, VersionOrigin& origin, const Metadata& exit) {
  copy.body.insert(copy.body.begin(), {{}, Anchor{exit}});
  origin.positions.insert(origin.positions.begin(), Position{0});
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
    auto when = name ? guards_of_copy(input, function, *active) : std::nullopt;
    if (!when) continue;
    VersionAnalyses facts(input.program, function, *active, targets);
    TargetLabels labels(*active, input.names);
    std::optional<Metadata> entry; // its label first: labels are numbered in order
    if (input.options.flag("anchor"))
      entry = identity_exit(function.name, active->name, labels.at(0), *facts.scopes()[0]);
    Version copy = copy_of(function.name, *active, *name, facts.scopes(), labels);
    copy.when = *std::move(when);
    VersionOrigin origin = origin_of_copy(function.name, *name, *active);
    if (entry) begin_with_anchor(copy, origin, *entry);
    if (result.rewrites == 0) result.program = input.program;
    Function& changed = result.program.functions[f];
    labels.add_to(changed.versions[static_cast<std::size_t>(active - function.versions.data())]);
    changed.implicit = false;
    result.origins.push_back(std::move(origin));
    changed.versions.insert(changed.versions.begin(), std::move(copy));
    ++result.rewrites;
  }
  return result.rewrites > 0 ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace sourir
