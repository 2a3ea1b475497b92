#include "sourir/syntax/scopes.h"

#include "sourir/syntax/exits.h"
#include "sourir/syntax/scope_flow.h"

#include <algorithm>

namespace sourir {
namespace {

class KeepScopes : public ScopeObserver {
public:
  explicit KeepScopes(Scopes& kept) : kept_(kept) {}
  void at(std::uint32_t position, const ScopeSet& scope) override {
    kept_[position] = scope.names();
  }
  void differs(std::uint32_t, std::uint32_t, const ScopeSet&) override {}

private:
  Scopes& kept_;
};

class KeepOneScope : public ScopeObserver {
public:
  explicit KeepOneScope(std::uint32_t wanted) : wanted_(wanted) {}
  void at(std::uint32_t position, const ScopeSet& scope) override {
    if (position == wanted_) kept = scope.names();
  }
  void differs(std::uint32_t, std::uint32_t, const ScopeSet&) override {}

  std::optional<std::vector<Var>> kept;

private:
  std::uint32_t wanted_;
};

bool reaches_all_labels(const ScopeFlow& flow, const LabelPositions& labels) {
  return std::all_of(labels.begin(), labels.end(),
                     [&](const auto& entry) { return flow.reached(entry.second); });
}

// `exits`: null if none targets the version.
void walk(const Function& function, const Version& version, IncomingExits* exits,
          ScopeObserver& observer) {
  const LabelPositions labels = label_positions(version);
  ScopeFlow flow(version, labels);
  ScopeSet scope;
  flow.run(0, version.cont ? version.cont->names : function.params, Declaration::parameter(), scope,
           observer);
  if (exits == nullptr || reaches_all_labels(flow, labels)) return;
  for (const IncomingExits::Incoming& incoming : exits->to(function.name, version.name)) {
    const ExitFrame frame = frame_at(*incoming.exit, incoming.frame);
    if (!frame.target->label) continue;
    const auto found = labels.find(*frame.target->label);
    if (found != labels.end() && !flow.reached(found->second))
      flow.run(found->second, frame.domain(), Declaration::exit(), scope, observer);
  }
}

std::uint64_t key(FunName function, VerName version) {
  return (std::uint64_t{function.id} << 32) | version.id;
}

} // namespace

LabelPositions label_positions(const Version& version) {
  std::vector<std::pair<Label, std::uint32_t>> listed; // so that the table need not grow
  if (version.cont) listed.emplace_back(version.cont->entry, 0);
  std::uint32_t position = 0;
  const auto add = [&](const LeadingTrivia& leading) {
    for (const Label label : leading.labels) listed.emplace_back(label, position);
    ++position;
  };
  for (const Stmt& stmt : version.body) add(stmt.leading);
  add(version.end);
  LabelPositions positions;
  positions.reserve(listed.size());
  positions.insert(listed.begin(), listed.end());
  return positions;
}

const std::vector<IncomingExits::Incoming>& IncomingExits::to(FunName function, VerName version) {
  if (!by_version_) {
    by_version_.emplace();
    for (const Function& f : program_.functions)
      for (const Version& v : f.versions)
        for (const Stmt& stmt : v.body)
          if (const Metadata* exit = exit_of(stmt.instr))
            for (std::size_t i = 0; i < frame_count(*exit); ++i) {
              const Place& target = *frame_at(*exit, i).target;
              (*by_version_)[key(target.function, target.version)].push_back({exit, i});
            }
  }
  static const std::vector<Incoming> none;
  const auto found = by_version_->find(key(function, version));
  return found == by_version_->end() ? none : found->second;
}

Scopes scopes_of(const Function& function, const Version& version, IncomingExits* exits) {
  Scopes kept(version.body.size() + 1);
  KeepScopes observer(kept);
  walk(function, version, exits, observer);
  return kept;
}

Scopes scopes_of(const Program& program, const Function& function, const Version& version) {
  IncomingExits exits(program);
  return scopes_of(function, version, &exits);
}

std::optional<std::vector<Var>> scope_at(const Program& program, const Function& function,
                                         const Version& version, std::uint32_t position) {
  IncomingExits exits(program);
  KeepOneScope observer(position);
  walk(function, version, &exits, observer);
  return observer.kept;
}

} // namespace sourir
