#include "sourir/passes/speculation/guard_results.h"

#include "sourir/analysis/facts_at.h"
#include "sourir/passes/core/correspondence.h"
#include "sourir/passes/core/renaming.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/contains.h"
#include "sourir/syntax/context.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/state_map.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

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

// The arrays whose elements an instruction loads or stores, in order: the array of a store first.
// Those of guards and exits do not count.
std::vector<Var> accessed_arrays(const Instruction& instr) {
  std::vector<Var> arrays;
  if (exit_of(instr) != nullptr || std::holds_alternative<GuardHint>(instr)) return arrays;
  if (const auto* const store = std::get_if<ArrayUpdate>(&instr)) arrays.push_back(store->array);
  for_each_expression(instr, [&](const Expr& e) {
    if (const auto* const load = std::get_if<Index>(&e)) arrays.push_back(load->array);
  });
  return arrays;
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

// Tests that may be inserted around the instruction at a position.
struct Tests {
  std::vector<Expr> elements; // before it, of the arrays that it accesses
  std::optional<Expr> result; // after it
};

// Constants of the version in which all tests are inserted that can hold where they stand.
class TestedConstants {
public:
  using State = Facts;
  static constexpr Direction kDirection = Direction::Forward;

  TestedConstants(Constants& constants, const std::map<Position, Tests>& tests)
      : constants_(constants), tests_(tests) {}

  Facts boundary(BlockId root) const { return constants_.boundary(root); }
  bool edge(Facts& facts, BlockId from, std::size_t k) const {
    return constants_.edge(facts, from, k);
  }
  void transfer(Facts& facts, Position at) const {
    const auto tests = tests_.find(at);
    if (tests != tests_.end())
      for (const Expr& e : tests->second.elements) pass(e, facts);
    constants_.transfer(facts, at);
    if (tests != tests_.end() && tests->second.result) pass(*tests->second.result, facts);
  }
  static void pass(const Expr& test, Facts& facts) {
    if (!cannot_hold({test}, facts)) learn(test, true, facts);
  }

private:
  Constants& constants_;
  const std::map<Position, Tests>& tests_;
};

class ResultGuards {
public:
  explicit ResultGuards(const PassInput& input)
      : input_(input), source_(input.first != nullptr ? *input.first : input.program),
        positions_(source_), states_(input.map != nullptr ? *input.map : no_map_, source_) {
    for (const Feedback::Predicate& held : input.feedback.results)
      if (const auto at = site_of(held.at)) {
        if (const auto* const test = std::get_if<KindTest>(&held.predicate))
          results_[*at] = test->kind;
        else if (const auto* const elements = std::get_if<ElementsTest>(&held.predicate))
          add_elements(held.at, *at, *elements);
      }
    std::set<Place, SameVersion> versions;
    for (const Place& place : input.feedback.unreached)
      if (const auto at = site_of(place)) {
        unreached_.insert(*at);
        versions.insert(place);
      }
    for (const Place& place : versions) add_behind(place);
  }

  bool has_none() const { return results_.empty() && elements_.empty() && unreached_.empty(); }

  void run(VersionTask& task) {
    task_ = &task;
    const auto source = source_of(task);
    if (!source) {
      task.remarks.push_back(
          "guard-results: " + std::string(input_.names.text(task.function.name)) +
          " has no version to go back to (fresh-version makes one)");
      return;
    }
    FactsAt facts(task.facts);
    const Cfg& cfg = task.facts.cfg();
    const auto tests = wanted_tests(task, *source);
    const auto needed = needed_elements(task, tests);
    for (const Block& block : cfg.blocks()) {
      if (!cfg.reachable(block.begin)) continue;
      for (Position at = block.begin; at < block.end; ++at) {
        if (is_unreached(source->sites(at)) && leave(task, *source, block, at)) break;
        if (const auto found = needed.find(at); found != needed.end())
          task.edit.insert(at, Assume{found->second, *exit_at(*source, at)});
        if (const auto found = tests.find(at); found != tests.end() && found->second.result)
          guard(task, *source, facts, at, *found->second.result);
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

  void add_elements(const Place& place, Site at, const ElementsTest& test) {
    const Version& version = *positions_.version(place.function, place.version);
    if (at.at >= version.body.size()) return;
    const auto arrays = accessed_arrays(version.body[at.at].instr);
    std::vector<std::optional<Kind>>& types = elements_[at];
    types.resize(arrays.size());
    for (std::size_t i = 0; i < arrays.size(); ++i)
      if (test.operand == SimpleExpr(arrays[i])) types[i] = test.kind;
  }

  // The recorded tests of elements, of the arrays that the instruction accesses now: passes may
  // have renamed them.
  std::vector<Expr> tests_of_elements(const Instruction& instr,
                                      const std::vector<Site>& origins) const {
    std::vector<Expr> tests;
    const auto arrays = accessed_arrays(instr);
    for (const Site& s : origins) {
      const auto held = elements_.find(s);
      if (held == elements_.end() || held->second.size() != arrays.size()) continue;
      for (std::size_t i = 0; i < arrays.size(); ++i)
        if (held->second[i])
          if (const Expr test = ElementsTest{arrays[i], *held->second[i]}; !contains(tests, test))
            tests.push_back(test);
      break;
    }
    return tests;
  }

  std::optional<Expr> test_of_result(const Version& version, ResultSource& source, Position at) {
    const auto& body = version.body;
    const auto x = bound(body[at].instr);
    if (!x || at + 1 >= body.size()) return std::nullopt;
    const auto type = type_of_result(source.origins(at));
    if (!type) return std::nullopt;
    const auto* const drop = std::get_if<Drop>(&body[at + 1].instr);
    const auto* const assume = std::get_if<Assume>(&body[at + 1].instr);
    if (drop != nullptr && drop->name == *x) return std::nullopt;
    const Expr test = KindTest{*x, *type};
    if (assume != nullptr && contains(assume->guards, test)) return std::nullopt;
    return test;
  }

  // Those for which there is an exit.
  std::map<Position, Tests> wanted_tests(VersionTask& task, ResultSource& source) {
    std::map<Position, Tests> wanted;
    for (Position at = 0; at < task.version.body.size(); ++at) {
      if (!task.facts.cfg().reachable(at)) continue;
      Tests tests;
      if (!elements_.empty())
        tests.elements = tests_of_elements(task.version.body[at].instr, source.origins(at));
      if (!tests.elements.empty() && !may_exit_at(source, at)) tests.elements.clear();
      tests.result = test_of_result(task.version, source, at);
      if (tests.result && !may_exit_at(source, at + 1)) tests.result.reset();
      if (!tests.elements.empty() || tests.result) wanted.emplace(at, std::move(tests));
    }
    return wanted;
  }

  // The tests of elements that do not follow from other tests on all paths to them.
  std::map<Position, std::vector<Expr>> needed_elements(VersionTask& task,
                                                        const std::map<Position, Tests>& tests) {
    std::map<Position, std::vector<Expr>> needed;
    if (std::ranges::all_of(tests, [](const auto& t) { return t.second.elements.empty(); }))
      return needed;
    const Cfg& cfg = task.facts.cfg();
    TestedConstants constants(task.facts.constants_problem(), tests);
    const auto solution = solve(cfg, constants);
    for (const BlockId b : cfg.reverse_postorder()) {
      if (!solution[b.id]) continue;
      Facts facts = *solution[b.id];
      replay(cfg, constants, b, facts, [&](Position at, const Facts& before) {
        const auto found = tests.find(at);
        if (found == tests.end() || !before.passed) return;
        Facts here = before;
        for (const Expr& test : found->second.elements) {
          if (!holds(test, here) && !cannot_hold({test}, here)) needed[at].push_back(test);
          TestedConstants::pass(test, here);
        }
      });
    }
    return needed;
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

  void guard(VersionTask& task, ResultSource& source, FactsAt& facts, Position at,
             const Expr& test) {
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

  bool may_exit_at(ResultSource& source, Position at) {
    const auto exit = source.exit(at);
    return exit && version_at(exit->frame.target) != nullptr &&
           std::ranges::all_of(exit->outer, [&](const OuterFrame& outer) {
             return version_at(outer.target) != nullptr;
           });
  }

  // The version of a place; null: there is no such place, the passes have changed its version, or
  // it has a context that need not hold for exits of the version that is rewritten.
  const Version* version_at(const Place& target) {
    if (states_.listed(target.function, target.version) != nullptr) return nullptr;
    const Function* const function = find_function(input_.program, target.function);
    if (function == nullptr || !positions_.resolve(target)) return nullptr;
    const Version* const version = find_version(*function, target.version);
    const bool may = version != nullptr &&
                     may_exit_to(target.function, *version, task_->function, task_->version);
    return may ? version : nullptr;
  }

  // Names the place by a label; false: there is no version_at().
  bool label(Place& target) {
    const Version* const version = version_at(target);
    if (version == nullptr) return false;
    const auto position = positions_.resolve(target);
    TargetLabels& labels =
        labels_.try_emplace(version_key(target.function, target.version), *version, input_.names)
            .first->second;
    target = {target.function, target.version, labels.at(*position), 0};
    return true;
  }

  const PassInput& input_;
  const VersionTask* task_ = nullptr; // that of run()
  const Program& source_;
  const StateMap no_map_;
  ProgramPositions positions_;
  MappedStates states_;
  std::map<Site, Kind> results_; // by the position after the instruction
  std::map<Site, std::vector<std::optional<Kind>>> elements_; // by accessed_arrays()
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
