#include "sourir/passes/speculation/insert_from_anchor.h"

#include "sourir/analysis/dataflow.h"
#include "sourir/passes/speculation/dominating_exits.h"
#include "sourir/passes/speculation/effect_free.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/text/printer.h"

#include <algorithm>

namespace sourir {
namespace {

// The exit whose metadata may still be used; empty: none.
struct OpenExit {
  std::optional<Position> at;

  bool join(const OpenExit& other) {
    if (at == other.at || !at) return false;
    at.reset();
    return true;
  }
  friend bool operator==(const OpenExit&, const OpenExit&) = default;
};

class OpenExits {
public:
  using State = OpenExit;
  static constexpr Direction kDirection = Direction::Forward;

  explicit OpenExits(VersionAnalyses& facts)
      : version_(facts.version()), reads_(version_.body.size()) {
    for (Position at = 0; at < reads_.size(); ++at)
      if (const Metadata* const exit = exit_of(version_.body[at].instr))
        reads_[at] = variables_of(*exit);
  }

  OpenExit boundary(BlockId) const { return {}; }
  void transfer(OpenExit& open, Position at) const {
    const Instruction& instr = version_.body[at].instr;
    if (exit_of(instr) != nullptr)
      open.at = at;
    else if (open.at && (!re_executable(instr) || changes(instr, reads_[*open.at])))
      open.at.reset();
  }

private:
  static bool changes(const Instruction& instr, const std::vector<Var>& read) {
    const Var* const changed = changed_variable(instr);
    return changed != nullptr && std::find(read.begin(), read.end(), *changed) != read.end();
  }

  const Version& version_;
  std::vector<std::vector<Var>> reads_; // by position of the exit
};

class Inserter {
public:
  explicit Inserter(VersionTask& task)
      : task_(task), wanted_(wanted_speculations(task)), exits_(task.facts), guards_(task, exits_),
        open_(task.version.body.size()), fresh_(task.fresh_names()) {
    if (wanted_.empty()) return;
    const Cfg& cfg = task.facts.cfg();
    OpenExits analysis(task.facts);
    const auto solution = solve(cfg, analysis);
    for (const BlockId b : cfg.reverse_postorder()) {
      OpenExit state = solution[b.id].value();
      replay(cfg, analysis, b, state,
             [&](Position at, const OpenExit& open) { open_[at] = open.at; });
    }
  }

  void run() {
    std::size_t next = 0;
    exits_.for_each_position(
        [&](Position at, const Definitions::State& state, std::optional<std::size_t> nearest) {
          for (; next < wanted_.size() && wanted_[next].at <= at; ++next)
            if (wanted_[next].at == at) insert(wanted_[next], state, nearest);
        });
  }

private:
  void insert(const Speculation& wanted, const Definitions::State& state,
              std::optional<std::size_t> nearest) {
    std::vector<Expr> predicates;
    for (const Expr& e : wanted.predicates)
      if (!guards_.known(e, state, nearest) && in_scope(e, state)) predicates.push_back(e);
    if (!predicates.empty() && !open_[wanted.at]) {
      const Place place{task_.function.name, task_.version.name, {}, wanted.at};
      task_.remarks.push_back("insert-from-anchor: no exit may be taken any more at " +
                              print(place, task_.input.names));
      return;
    }
    if (!predicates.empty()) {
      const Instruction& from = task_.version.body[*open_[wanted.at]].instr;
      task_.edit.insert(wanted.at,
                        Assume{std::move(predicates), rename(*exit_of(from), {}, fresh_)});
    }
    if (wanted.hint) task_.edit.remove(wanted.at);
  }

  VersionTask& task_;
  std::vector<Speculation> wanted_;
  DominatingExits exits_;
  GuardLists guards_;
  std::vector<std::optional<Position>> open_; // by position
  FreshNames fresh_;
};

} // namespace

std::optional<PassResult> insert_from_anchor(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) { Inserter(task).run(); });
}

} // namespace sourir
