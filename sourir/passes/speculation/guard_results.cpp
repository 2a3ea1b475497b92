#include "sourir/passes/speculation/guard_results.h"

#include "sourir/analysis/facts_at.h"
#include "sourir/passes/core/correspondence.h"
#include "sourir/passes/core/renaming.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/state_map.h"
#include "sourir/syntax/successors.h"

#include <algorithm>
#include <map>
#include <memory>
#include <set>

namespace sourir {
namespace {

// A position of a version.
struct Site {
  std::uint64_t version = 0; // version_key
  Position at = 0;
  auto operator<=>(const Site&) const = default;
};

struct SameVersion {
  bool operator()(const Place& a, const Place& b) const {
    return version_key(a.function, a.version) < version_key(b.function, b.version);
  }
};

// The variable that an instruction binds to a value of a type that is not known before.
std::optional<Var> bound(const Instruction& instr) {
  if (const auto* const decl = std::get_if<Decl>(&instr))
    return decl->value ? std::optional(decl->name) : std::nullopt;
  if (const auto* const assign = std::get_if<Assign>(&instr)) return assign->name;
  if (const auto* const read = std::get_if<Read>(&instr)) return read->name;
  const auto* const call = std::get_if<Call>(&instr);
  return call != nullptr ? std::optional(call->result) : std::nullopt;
}

const Expr* value_of(const Instruction& instr) {
  if (const auto* const assign = std::get_if<Assign>(&instr)) return &assign->value;
  const auto* const decl = std::get_if<Decl>(&instr);
  return decl != nullptr && decl->value ? &*decl->value : nullptr;
}

bool same_operator(const Expr& a, const Expr& b) {
  if (a.index() != b.index()) return false;
  if (const auto* const one = std::get_if<Unary>(&a)) return one->op == std::get<Unary>(b).op;
  const auto* const one = std::get_if<Binary>(&a);
  return one == nullptr || one->op == std::get<Binary>(b).op;
}

// Whether an instruction still is that of its source. Passes move instructions, and turn
// declarations into assignments and back.
bool same_form(const Instruction& a, const Instruction& b) {
  const Expr *one = value_of(a), *other = value_of(b);
  if (one == nullptr || other == nullptr) return a.index() == b.index();
  return same_operator(*one, *other);
}

bool is_complete(const Metadata& state) {
  return state.frame.unknown.empty() &&
         std::ranges::all_of(state.outer, [](const OuterFrame& f) { return f.unknown.empty(); });
}

// The states of the version that is rewritten in terms of the versions that its exits lead to.
class ResultSource {
public:
  virtual ~ResultSource() = default;
  // The places of the state before the instruction at `at`.
  virtual std::vector<Site> sites(Position at) = 0;
  // Of these, the instructions that the one at `at` was made of, whose feedback is about it.
  virtual std::vector<Site> origins(Position at) { return sites(at); }
  // The exit for a guard at `at`; empty: there is none.
  virtual std::optional<Metadata> exit(Position at) = 0;
};

// By the state map of the passes so far.
class MappedSource : public ResultSource {
public:
  MappedSource(VersionTask& task, MappedStates& states, ProgramPositions& positions)
      : task_(task), states_(states), positions_(positions),
        map_(states.listed(task.function.name, task.version.name)) {}

  std::vector<Site> sites(Position at) override {
    const auto place = place_of(at);
    const auto found = place ? positions_.resolve(*place) : std::nullopt;
    if (!found) return {};
    return {{version_key(place->function, place->version), *found}};
  }

  std::vector<Site> origins(Position at) override {
    const auto place = place_of(at);
    const auto found = place ? positions_.resolve(*place) : std::nullopt;
    if (!found) return {};
    const Version* const in = positions_.version(place->function, place->version);
    if (*found >= in->body.size()) return {};
    if (!same_form(in->body[*found].instr, task_.version.body[at].instr)) return {};
    return {{version_key(place->function, place->version), *found}};
  }

  std::optional<Metadata> exit(Position at) override {
    auto state = states_.state(task_.function.name, task_.version.name, at);
    return state && is_complete(*state) ? std::move(state) : std::nullopt;
  }

private:
  std::optional<Place> place_of(Position at) {
    if (const auto listed = map_->states.find(at); listed != map_->states.end())
      return listed->second ? std::optional(listed->second->frame.target) : std::nullopt;
    std::optional<Place> place = map_->identity;
    if (place) place->offset = at;
    return place;
  }

  VersionTask& task_;
  MappedStates& states_;
  ProgramPositions& positions_;
  const VersionMap* map_;
};

// By the version that this one is a copy of.
class CopySource : public ResultSource {
public:
  CopySource(VersionTask& task, const Version& next)
      : task_(task), next_(next), places_(corresponding_positions(task.version, next)),
        scopes_(scopes_of(task.input.program, task.function, next)) {}

  std::vector<Site> sites(Position at) override {
    std::vector<Site> sites{{version_key(task_.function.name, task_.version.name), at}};
    if (places_[at]) sites.push_back({version_key(task_.function.name, next_.name), *places_[at]});
    return sites;
  }

  std::optional<Metadata> exit(Position at) override {
    if (!places_[at] || !scopes_[*places_[at]]) return {};
    Metadata state{{{task_.function.name, next_.name, {}, *places_[at]}, {}, {}}, {}, {}, {}};
    for (const Var x : *scopes_[*places_[at]]) state.frame.varmap.push_back({x, SimpleExpr(x)});
    return state;
  }

private:
  VersionTask& task_;
  const Version& next_;
  std::vector<std::optional<Position>> places_;
  Scopes scopes_;
};

class ResultGuards {
public:
  explicit ResultGuards(const PassInput& input)
      : input_(input), source_(input.first != nullptr ? *input.first : input.program),
        positions_(source_), states_(input.map != nullptr ? *input.map : no_map_, source_) {
    for (const Feedback::Predicate& held : input.feedback.results)
      if (const auto* const test = std::get_if<KindTest>(&held.predicate))
        if (const auto at = site_of(held.at)) results_[*at] = test->kind;
    std::set<Place, SameVersion> versions;
    for (const Place& place : input.feedback.unreached)
      if (const auto at = site_of(place)) {
        unreached_.insert(*at);
        versions.insert(place);
      }
    for (const Place& place : versions) add_behind(place);
  }

  bool has_none() const { return results_.empty() && unreached_.empty(); }

  void run(VersionTask& task) {
    const auto source = source_of(task);
    if (!source) {
      task.remarks.push_back(
          "guard-results: " + std::string(input_.names.text(task.function.name)) +
          " has no version to go back to (fresh-version makes one)");
      return;
    }
    FactsAt facts(task.facts);
    const Cfg& cfg = task.facts.cfg();
    for (const Block& block : cfg.blocks()) {
      if (!cfg.reachable(block.begin)) continue;
      for (Position at = block.begin; at < block.end; ++at) {
        if (is_unreached(source->sites(at)) && leave(task, *source, block, at)) break;
        guard(task, *source, facts, at);
      }
    }
  }

  // The labels that the exits need, in the versions that they lead to.
  void add_labels(Program& program) const {
    for (Function& function : program.functions)
      for (Version& version : function.versions)
        if (const auto found = labels_.find(version_key(function.name, version.name));
            found != labels_.end())
          found->second.add_to(version);
  }

private:
  std::optional<Site> site_of(const Place& place) {
    const auto at = positions_.resolve(place);
    if (!at) return std::nullopt;
    return Site{version_key(place.function, place.version), *at};
  }

  std::unique_ptr<ResultSource> source_of(VersionTask& task) {
    if (states_.listed(task.function.name, task.version.name) != nullptr)
      return std::make_unique<MappedSource>(task, states_, positions_);
    const Version* const next = next_version(task.function, task.version);
    return next == nullptr ? nullptr : std::make_unique<CopySource>(task, *next);
  }

  bool is_unreached(const std::vector<Site>& sites) const {
    return std::ranges::any_of(sites, [&](const Site& s) { return unreached_.contains(s); });
  }

  // Adds what control comes to only through instructions that were never executed: of these the
  // passes may have left nothing.
  void add_behind(const Place& in) {
    const std::uint64_t key = version_key(in.function, in.version);
    const Version& version = *positions_.version(in.function, in.version);
    std::vector<bool> reached(version.body.size());
    std::vector<Position> work{0};
    while (!work.empty()) {
      const Position at = work.back();
      work.pop_back();
      if (at >= reached.size() || reached[at]) continue;
      reached[at] = true;
      if (unreached_.contains({key, at})) continue;
      const Successors next = successors(version.body[at].instr);
      if (next.next) work.push_back(at + 1);
      for (const Label* const label : {next.first, next.second})
        if (label != nullptr)
          if (const auto to = positions_.resolve({in.function, in.version, *label, 0}))
            work.push_back(*to);
    }
    for (Position at = 0; at < reached.size(); ++at)
      if (!reached[at]) unreached_.insert({key, at});
  }

  std::optional<Kind> type_of_result(const std::vector<Site>& origins) const {
    for (const Site& s : origins)
      if (const auto held = results_.find({s.version, s.at + 1}); held != results_.end())
        return held->second;
    return std::nullopt;
  }

  // Leaves the version before the instruction at `at`; what follows in the block is not reached.
  bool leave(VersionTask& task, ResultSource& source, const Block& block, Position at) {
    const auto exit = exit_at(source, at);
    if (!exit) return false;
    const auto* const assume = std::get_if<Assume>(&task.version.body[at].instr);
    if (assume != nullptr || std::holds_alternative<Stop>(task.version.body[at].instr))
      return false;
    task.edit.insert(at, Assume{{SimpleExpr(false)}, *exit});
    task.edit.replace(at, Stop{});
    for (Position rest = at + 1; rest < block.end; ++rest) task.edit.erase(rest);
    return true;
  }

  void guard(VersionTask& task, ResultSource& source, FactsAt& facts, Position at) {
    const auto& body = task.version.body;
    const auto x = bound(body[at].instr);
    if (!x || at + 1 >= body.size()) return;
    const auto type = type_of_result(source.origins(at));
    if (!type) return;
    const auto* const drop = std::get_if<Drop>(&body[at + 1].instr);
    const auto* const assume = std::get_if<Assume>(&body[at + 1].instr);
    if (drop != nullptr && drop->name == *x) return;
    const KindTest test{*x, *type};
    if (assume != nullptr && std::ranges::find(assume->guards, Expr(test)) != assume->guards.end())
      return;
    const Facts* const before = facts.before(at);
    if (before == nullptr) return;
    Facts after = *before;
    task.facts.constants_problem().transfer(after, at);
    if (!after.passed || holds(test, after) || cannot_hold({test}, after)) return;
    if (auto exit = exit_at(source, at + 1)) task.edit.append(at, Assume{{test}, *std::move(exit)});
  }

  std::optional<Metadata> exit_at(ResultSource& source, Position at) {
    auto exit = source.exit(at);
    if (!exit || !label(exit->frame.target)) return std::nullopt;
    for (OuterFrame& outer : exit->outer)
      if (!label(outer.target)) return std::nullopt;
    return exit;
  }

  // Names the place by a label; false: its version has been changed by the passes.
  bool label(Place& target) {
    if (states_.listed(target.function, target.version) != nullptr) return false;
    const Function* const function = find_function(input_.program, target.function);
    const Version* const version =
        function == nullptr ? nullptr : find_version(*function, target.version);
    const auto position = positions_.resolve(target);
    if (version == nullptr || !position) return false;
    TargetLabels& labels =
        labels_.try_emplace(version_key(target.function, target.version), *version, input_.names)
            .first->second;
    target = {target.function, target.version, labels.at(*position), 0};
    return true;
  }

  const PassInput& input_;
  const Program& source_;
  const StateMap no_map_;
  ProgramPositions positions_;
  MappedStates states_;
  std::map<Site, Kind> results_; // by the position after the instruction
  std::set<Site> unreached_;
  std::map<std::uint64_t, TargetLabels> labels_;
};

} // namespace

std::optional<PassResult> guard_results(const PassInput& input) {
  ResultGuards guards(input);
  if (guards.has_none()) return std::nullopt;
  auto result = rewrite_versions(input, [&](VersionTask& task) { guards.run(task); });
  if (result) guards.add_labels(result->program);
  return result;
}

} // namespace sourir
