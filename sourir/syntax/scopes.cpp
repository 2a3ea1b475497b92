#include "sourir/syntax/scopes.h"

#include "sourir/syntax/exits.h"
#include "sourir/syntax/scope_flow.h"
#include "sourir/syntax/successors.h"

#include <algorithm>

namespace sourir {

// Along a straight line each scope begins with the one before it: they share one list of names.
class ScopesBuilder : public ScopeObserver {
public:
  explicit ScopesBuilder(const Version& version)
      : version_(version), parts_(version.body.size() + 1) {}

  void at(std::uint32_t position, const ScopeSet& scope) override {
    const std::size_t size = scope.hash().size;
    const bool follows = last_position_ && *last_position_ + 1 == position &&
                         successors(version_.body[position - 1].instr).next;
    const ScopeEffect effect =
        follows ? scope_effect(version_.body[position - 1].instr) : ScopeEffect();
    const bool grows = effect.declares != nullptr && size == last_.length + 1;
    if (follows && grows && lists_[last_.list].size() == last_.length) {
      lists_[last_.list].push_back(*effect.declares);
    } else if (!follows || effect.drops != nullptr || size != last_.length) {
      last_.list = lists_.size();
      lists_.push_back(scope.names());
    }
    last_.length = size;
    last_position_ = position;
    parts_[position] = last_;
  }
  void differs(std::uint32_t, std::uint32_t, const ScopeSet&) override {}

  Scopes take() {
    Scopes scopes;
    scopes.scopes_.resize(parts_.size());
    for (std::size_t at = 0; at < parts_.size(); ++at)
      if (parts_[at])
        scopes.scopes_[at] = Scope(lists_[parts_[at]->list]).first(parts_[at]->length);
    scopes.names_ = std::make_shared<const std::deque<std::vector<Var>>>(std::move(lists_));
    return scopes;
  }

private:
  struct Part {
    std::size_t list = 0, length = 0;
  };

  const Version& version_;
  std::vector<std::optional<Part>> parts_; // by position
  std::deque<std::vector<Var>> lists_;
  Part last_;
  std::optional<std::uint32_t> last_position_;
};

namespace {

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
  ScopesBuilder observer(version);
  walk(function, version, exits, observer);
  return observer.take();
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
