#include "sourir/passes/speculation/undo.h"

#include "sourir/analysis/mutant.h"
#include "sourir/passes/speculation/continuation.h"
#include "sourir/passes/speculation/kept_predicates.h"
#include "sourir/syntax/exit_frames.h"
#include "sourir/syntax/program_positions.h"
#include "sourir/syntax/text/parser.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace sourir {
namespace {

// What is undone: a version's assume, and where its exit leads.
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
    // It has got labels already; the next run goes on.
    if (labelled_.contains(version_key(target->function->name, target->version->name)))
      return false;
    VersionAnalyses behind(input_.program, *target->function, *target->version, targets_);
    const auto kept = kept_predicates(facts, at, failing(*assume), behind, target->at);
    if (kept.empty()) return false;
    return redirect(facts, at, *target, behind, kept);
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

  bool redirect(VersionAnalyses& facts, Position at, const UndoTarget& target, VersionAnalyses& behind,
                const std::vector<Expr>& kept) {
    TargetLabels labels(*target.version, input_.names);
    FreshNames fresh(input_.names);
    for (const Version& v : target.function->versions) fresh.use(v.name);
    // Versions that earlier redirections have added.
    if (result_.rewrites > 0)
      for (const Version& v : now(target.function->name).versions) fresh.use(v.name);
    const auto name = fresh.fresh<VerName>(input_.options.text("name", "undone"));
    auto built = continuation_of(behind, {target.at, labels.at(target.at), name, kept},
                                 input_.names, labels);
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
    if (mutant(56)) std::get<Assume>(changed.body[at].instr).exit.outer.clear();
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
