#include "sourir/passes/speculation/undo.h"

#include "sourir/analysis/dominating_exits.h"
#include "sourir/analysis/version_analyses.h"
#include "sourir/passes/speculation/continuation.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/expr.h"
#include "sourir/syntax/program_index.h"
#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace sourir {
namespace {

const std::vector<Expr>& guards_at(const Version& version, Position at) {
  static const std::vector<Expr> none;
  const auto* const assume = std::get_if<Assume>(&version.body[at].instr);
  return assume != nullptr ? assume->guards : none;
}

// The exits that dominate the exit, the exit itself, and those that it dominates, ascending.
std::vector<std::size_t> chain_through(const DominatingExits& exits, std::size_t exit) {
  std::vector<bool> below(exits.size());
  below[exit] = true;
  std::vector<std::size_t> chain;
  for (auto up = exits[exit].up; up; up = exits[*up].up) chain.push_back(*up);
  std::reverse(chain.begin(), chain.end());
  // A dominating exit has the smaller number.
  for (std::size_t i = exit; i < exits.size(); ++i) {
    below[i] = below[i] || (exits[i].up && below[*exits[i].up]);
    if (below[i]) chain.push_back(i);
  }
  return chain;
}

// The guards that the target has tested on all paths to `there`.
std::vector<Expr> tested_before(VersionAnalyses& target, Position there) {
  const DominatingExits exits(target);
  std::vector<Expr> tested;
  exits.for_each_position(
      [&](Position at, const Definitions::State& state, std::optional<std::size_t> nearest) {
        if (at != there) return;
        for (auto exit = nearest; exit; exit = exits[*exit].up)
          for (const Expr& guard : guards_at(target.version(), exits[*exit].at))
            if (reads_the_same(guard, exits[*exit].state, state)) tested.push_back(guard);
      });
  return tested;
}

// By variable of the version: its name in the target, if it has one.
Substitution names_in_target(const Metadata& exit) {
  Substitution names;
  for (const Binding& b : exit.frame.varmap)
    if (const auto* const simple = std::get_if<SimpleExpr>(&b.value))
      if (const Var* const x = std::get_if<Var>(simple)) names.try_emplace(*x, SimpleExpr(b.name));
  for (const Deferred& d : exit.with) names.erase(subject(d.instr));
  return names;
}

// The predicates of the version's exits that read the same values at `at` (an assume) as where they
// are tested, without the failing ones, in terms of the target of that assume's exit; those that
// the target has tested itself on its path to `there` are not among them.
std::vector<Expr> kept_predicates(VersionAnalyses& version, Position at,
                                  const std::vector<Expr>& failing, VersionAnalyses& target,
                                  Position there) {
  const DominatingExits exits(version);
  const auto exit = exits.at(at);
  if (!exit) return {};
  const Substitution names = names_in_target(*exit_of(version.version().body[at].instr));
  const auto tested = tested_before(target, there);
  std::vector<Expr> kept;
  for (const std::size_t i : chain_through(exits, *exit))
    for (const Expr& guard : guards_at(version.version(), exits[i].at)) {
      if (contains(failing, guard) || !reads_the_same(guard, exits[i].state, exits[*exit].state))
        continue;
      bool nameable = true;
      for_each_variable(guard, [&](Var x) { nameable &= names.contains(x); });
      const auto there_too = nameable ? substitute(guard, names) : std::nullopt;
      if (there_too && !contains(tested, *there_too) && !contains(kept, *there_too))
        kept.push_back(*there_too);
    }
  return kept;
}

// The target of an assume's exit.
struct UndoTarget {
  const Function* function;
  const Version* version;
  Position at;
};

class Undo {
public:
  Undo(const PassInput& input, PassResult& result)
      : input_(input), result_(result), targets_(input.program), positions_(input.program) {
    for (std::size_t f = 0; f < input.program.functions.size(); ++f)
      index_.emplace(input.program.functions[f].name, f);
  }

  void run() {
    for (const Function& function : input_.program.functions) {
      const auto v = rewritable_version(function, targets_);
      if (v && selected(input_, function.name)) run(function, function.versions[*v]);
    }
  }

private:
  void run(const Function& function, const Version& version) {
    VersionAnalyses facts(input_.program, function, version, targets_);
    if (const auto given = input_.options.text("at"); !given.empty()) {
      const auto place = parse_place(given, input_.names);
      if (!place || place->function != function.name || place->version != version.name) return;
      if (const auto at = positions_.resolve(*place)) undo_at(facts, *at);
      return;
    }
    // Each attempt costs an analysis of the version.
    constexpr int kMostAttempts = 16;
    int attempts = 0;
    for (Position at = 0; at < version.body.size() && attempts < kMostAttempts; ++at) {
      const auto* const assume = std::get_if<Assume>(&version.body[at].instr);
      if (assume == nullptr || assume->guards.empty()) continue;
      if (undo_at(facts, at)) return;
      ++attempts;
    }
  }

  bool undo_at(VersionAnalyses& facts, Position at) {
    if (at >= facts.version().body.size() || !facts.cfg().reachable(at)) return false;
    const auto* const assume = std::get_if<Assume>(&facts.version().body[at].instr);
    if (assume == nullptr || assume->guards.empty()) return false;
    const auto target = target_of(*assume);
    if (!target || target->version->cont) return false;
    // The target version was changed in this run; the next run continues.
    if (labelled_.contains(version_key(target->function->name, target->version->name)))
      return false;
    VersionAnalyses after(input_.program, *target->function, *target->version, targets_);
    const auto kept = kept_predicates(facts, at, failing(*assume), after, target->at);
    if (kept.empty()) return false;
    return redirect(facts, at, *target, after, kept);
  }

  std::optional<UndoTarget> target_of(const Assume& assume) {
    const Place& place = assume.exit.frame.target;
    const Version* const version = positions_.version(place.function, place.version);
    const auto at = positions_.resolve(place);
    if (version == nullptr || !at || *at >= version->body.size()) return std::nullopt;
    return UndoTarget{&input_.program.functions[index_.at(place.function)], version, *at};
  }

  std::vector<Expr> failing(const Assume& assume) const {
    if (!input_.options.has("guard")) return assume.guards;
    const auto n = input_.options.number("guard", 0);
    if (n >= assume.guards.size()) return assume.guards;
    return {assume.guards[n]};
  }

  bool redirect(VersionAnalyses& facts, Position at, const UndoTarget& target,
                VersionAnalyses& after, const std::vector<Expr>& kept) {
    TargetLabels labels(*target.version, input_.names);
    FreshNames fresh(input_.names);
    for (const Version& v : target.function->versions) fresh.use(v.name);
    // Versions that earlier redirections have added.
    if (result_.rewrites > 0)
      for (const Version& v : now(target.function->name).versions) fresh.use(v.name);
    const auto name = fresh.fresh<VerName>(input_.options.text("name", "undone"));
    auto built =
        continuation_of(after, {target.at, labels.at(target.at), name, kept}, input_.names, labels);
    if (!built) return false;
    MadeContinuation made = std::move(*built);
    const Label entry = made.version.cont->entry;
    labelled_.insert(version_key(target.function->name, target.version->name));
    made = specialized(std::move(made), target.function->name, input_.program, input_.names);
    if (result_.rewrites == 0) result_.program = input_.program;
    labels.add_to(now(target.function->name, target.version->name));
    Version& changed = now(facts.function().name, facts.version().name);
    Frame& frame = std::get<Assume>(changed.body[at].instr).exit.frame;
    frame.target = {target.function->name, name, entry, 0};
    now(target.function->name).versions.push_back(std::move(made.version));
    now(target.function->name).implicit = false;
    result_.origins.push_back(std::move(made.origin));
    ++result_.rewrites;
    return true;
  }

  // As they are in the result, which is a copy of the input from the first change on.
  Function& now(FunName name) { return result_.program.functions[index_.at(name)]; }
  Version& now(FunName function, VerName name) {
    auto& versions = now(function).versions;
    return *std::find_if(versions.begin(), versions.end(),
                         [&](const Version& v) { return v.name == name; });
  }

  const PassInput& input_;
  PassResult& result_;
  ExitTargets targets_;
  ProgramPositions positions_;
  std::unordered_map<FunName, std::size_t> index_;
  std::unordered_set<std::uint64_t> labelled_; // target versions that were changed
};

} // namespace

std::optional<PassResult> undo(const PassInput& input) {
  PassResult result;
  Undo(input, result).run();
  return result.rewrites > 0 ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace sourir
