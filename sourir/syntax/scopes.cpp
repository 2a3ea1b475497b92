#include "sourir/syntax/scopes.h"

#include "sourir/syntax/exit_frames.h"
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

// Calls visit(position, frame) for each exit in the program that goes to the version.
template <class Visit>
void for_each_exit_to(const Program& program, FunName function, VerName version,
                      const LabelPositions& labels, Visit&& visit) {
  const auto frames = [&](const Metadata& exit) {
    for (std::size_t i = 0; i < frame_count(exit); ++i) {
      const ExitFrame frame = frame_at(exit, i);
      const Place& target = *frame.target;
      if (target.function == function && target.version == version && target.label)
        if (const auto found = labels.find(*target.label); found != labels.end())
          visit(found->second, frame);
    }
  };
  for (const Function& f : program.functions)
    for (const Version& v : f.versions)
      for (const Stmt& stmt : v.body)
        if (const Metadata* exit = exit_of(stmt.instr)) frames(*exit);
}

void walk(const Program& program, const Function& function, const Version& version,
          ScopeObserver& observer) {
  const LabelPositions labels = label_positions(version);
  ScopeFlow flow(version, labels);
  ScopeSet scope;
  flow.run(0, version.cont ? version.cont->names : function.params, Declaration::parameter(), scope,
           observer);
  if (reaches_all_labels(flow, labels)) return;
  for_each_exit_to(program, function.name, version.name, labels,
                   [&](std::uint32_t position, const ExitFrame& frame) {
                     if (!flow.reached(position))
                       flow.run(position, frame.domain(), Declaration::exit(), scope, observer);
                   });
}

} // namespace

LabelPositions label_positions(const Version& version) {
  LabelPositions positions;
  if (version.cont) positions.emplace(version.cont->entry, 0);
  std::uint32_t position = 0;
  const auto add = [&](const Marks& marks) {
    for (const Label label : marks.labels) positions.emplace(label, position);
    ++position;
  };
  for (const Stmt& stmt : version.body) add(stmt.marks);
  add(version.end);
  return positions;
}

Scopes scopes_of(const Program& program, const Function& function, const Version& version) {
  Scopes kept(version.body.size() + 1);
  KeepScopes observer(kept);
  walk(program, function, version, observer);
  return kept;
}

std::optional<std::vector<Var>> scope_at(const Program& program, const Function& function,
                                         const Version& version, std::uint32_t position) {
  KeepOneScope observer(position);
  walk(program, function, version, observer);
  return observer.kept;
}

} // namespace sourir
