#include "sourir/passes/speculation/osr_in.h"

#include "sourir/passes/speculation/continuation.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/text/parser.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <utility>

namespace sourir {
namespace {

class OsrIn {
public:
  OsrIn(const PassInput& input, const Function& function, const Version& version,
        const ExitTargets& targets)
      : input_(input), function_(function), version_(version),
        facts_(input.program, function, version, targets), labels_(version, input.names) {}

  // Into `result`, whose program is a copy of the input from the first change on.
  void run(PassResult& result, std::size_t f, std::size_t v) {
    const auto at = position();
    if (!at || !facts_.scopes()[*at] || enters_already(*at)) return;
    const Label back = fresh_label();
    auto made = continuation_of(facts_, {*at, back, name(), expected(*at)}, input_.names, labels_);
    if (!made) return;
    const ContinuationHeader entry = *made->version.cont;
    MadeContinuation done =
        specialized(std::move(*made), function_.name, input_.program, input_.names);
    if (result.rewrites == 0) result.program = input_.program;
    Function& function = result.program.functions[f];
    labels_.add_to(function.versions[v]);
    function.versions[v].body[*at].leading.labels.push_back(back);
    insert_anchor(function.versions[v], *at, {function_.name, done.version.name, entry.entry, 0});
    result.origins.push_back(origin_with_anchor(*at));
    result.origins.push_back(std::move(done.origin));
    function.implicit = false;
    function.versions.push_back(std::move(done.version));
    ++result.rewrites;
  }

private:
  std::optional<Position> position() {
    const auto given = input_.options.text("at");
    if (given.empty()) return first_loop();
    const auto place = parse_place(given, input_.names);
    if (!place || place->function != function_.name || place->version != version_.name)
      return std::nullopt;
    return position_of(*place);
  }
  std::optional<Position> position_of(const Place& place) {
    Position at = place.offset;
    if (place.label) {
      const auto labels = label_positions(version_);
      const auto found = labels.find(*place.label);
      if (found == labels.end()) return std::nullopt;
      at += found->second;
    }
    return at < version_.body.size() ? std::optional(at) : std::nullopt;
  }
  std::optional<Position> first_loop() {
    std::optional<Position> first;
    for (const Loop& loop : facts_.loops().loops()) {
      const Position at = facts_.cfg()[loop.header].begin;
      if (!first || at < *first) first = at;
    }
    return first;
  }

  bool enters_already(Position at) const {
    const Metadata* const exit = exit_of(version_.body[at].instr);
    if (exit == nullptr || exit->frame.target.function != function_.name) return false;
    const Version* const target = find_version(function_, exit->frame.target.version);
    return target != nullptr && target->cont;
  }

  VerName name() const {
    FreshNames fresh(input_.names);
    for (const Version& v : function_.versions) fresh.use(v.name);
    return fresh.fresh<VerName>(input_.options.text("name", "osr"));
  }

  // Not an existing label: those move to the anchor.
  Label fresh_label() const {
    return names_in(function_, version_, input_.names).fresh<Label>("back");
  }

  std::vector<Expr> expected(Position at) {
    std::vector<Expr> predicates;
    for (const auto& [option, text] : input_.options.entries())
      if (option == "known")
        if (const auto e = parse_expr(text, input_.names)) add(*e, at, predicates);
    for (const Feedback::Predicate& held : input_.feedback.predicates)
      if (held.at.function == function_.name && held.at.version == version_.name &&
          position_of(held.at) == at)
        add(held.predicate, at, predicates);
    return predicates;
  }
  void add(const Expr& e, Position at, std::vector<Expr>& predicates) {
    const auto& scope = *facts_.scopes()[at];
    bool known = true;
    for_each_variable(
        e, [&](Var x) { known &= std::find(scope.begin(), scope.end(), x) != scope.end(); });
    if (known && std::find(predicates.begin(), predicates.end(), e) == predicates.end())
      predicates.push_back(e);
  }

  // The anchor gets all leading trivia of the position but the last label.
  void insert_anchor(Version& version, Position at, const Place& to) {
    Stmt& after = version.body[at];
    LeadingTrivia leading = std::exchange(after.leading, {});
    after.leading.labels.push_back(leading.labels.back());
    leading.labels.pop_back();
    for (Comment& c : leading.comments)
      c.slot = std::min(c.slot, static_cast<std::uint32_t>(leading.labels.size()));
    Metadata exit = identity_exit(to.function, to.version, *to.label, *facts_.scopes()[at]);
    version.body.insert(version.body.begin() + at, {std::move(leading), Anchor{std::move(exit)}});
  }
  VersionOrigin origin_with_anchor(Position anchor) const {
    VersionOrigin origin{
        function_.name, version_.name, {function_.name, version_.name, {}, 0}, {}, {}, {}, {}};
    for (Position at = 0; at <= version_.body.size(); ++at) {
      if (at == anchor) origin.positions.emplace_back(at);
      origin.positions.emplace_back(at);
    }
    return origin;
  }

  const PassInput& input_;
  const Function& function_;
  const Version& version_;
  VersionAnalyses facts_;
  TargetLabels labels_;
};

} // namespace

std::optional<PassResult> osr_in(const PassInput& input) {
  const ExitTargets targets(input.program);
  PassResult result;
  for (std::size_t f = 0; f < input.program.functions.size(); ++f) {
    const Function& function = input.program.functions[f];
    const auto v = rewritable_version(function, targets);
    if (!v || !selected(input, function.name)) continue;
    OsrIn(input, function, function.versions[*v], targets).run(result, f, *v);
  }
  return result.rewrites > 0 ? std::optional(std::move(result)) : std::nullopt;
}

} // namespace sourir
