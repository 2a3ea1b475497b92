#include "sourir/passes/scalar/sink.h"

#include "sourir/analysis/mutant.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/passes/scalar/sinkable.h"
#include "sourir/syntax/exit_frames.h"

#include <algorithm>

namespace sourir {
namespace {

DeferredInstr deferred(const Instruction& instr) {
  if (const auto* const decl = std::get_if<Decl>(&instr)) return *decl;
  if (const auto* const array = std::get_if<ArrayDecl>(&instr)) return *array;
  if (const auto* const def = std::get_if<ArrayDef>(&instr)) return *def;
  return std::get<ArrayUpdate>(instr);
}

class Sinking {
public:
  explicit Sinking(VersionTask& task)
      : task_(task), sinkable_(find_sinkable(task.facts)), parts_(task.version, sinkable_) {}

  void run() {
    if (sinkable_.empty()) return;
    const Cfg& cfg = task_.facts.cfg();
    const auto solution = solve(cfg, parts_);
    const auto each_position = [&](auto&& visit) {
      for (const BlockId b : cfg.reverse_postorder()) {
        SunkParts::State state = *solution[b.id];
        replay(cfg, parts_, b, state, visit);
        if (cfg[b].begin == task_.version.body.size()) visit(cfg[b].end, state);
      }
    };
    for (const auto& [x, s] : sinkable_)
      for (const Position at : s.exits) wanted_at_[at].push_back(x);
    each_position([&](Position at, const SunkParts::State& state) { refuse(at, state); });
    each_position([&](Position at, const SunkParts::State& state) { sink_into(at, state); });
    for (const auto& [x, s] : sinkable_) remove(s);
  }

private:
  std::vector<DeferredInstr> made(Var x, std::uint32_t parts) const {
    std::vector<DeferredInstr> lines;
    const Sinkable& s = sinkable_.at(x);
    for (std::uint32_t k = 0; k < parts; ++k)
      lines.push_back(deferred(task_.version.body[s.parts[k]].instr));
    return lines;
  }

  // An exit that cannot make the value keeps it where it is.
  void refuse(Position at, const SunkParts::State& state) {
    const auto wanted = wanted_at_.find(at);
    if (wanted == wanted_at_.end()) return;
    for (const Var x : wanted->second)
      if (state.parts.find(x) == nullptr) sinkable_.erase(x);
  }

  void sink_into(Position at, const SunkParts::State& state) {
    std::vector<Deferred> lines;
    for (const auto& [x, parts] : state.parts) {
      const auto found = sinkable_.find(x);
      if (found == sinkable_.end()) continue;
      auto own = made(x, parts);
      const auto wanted = wanted_at_.find(at);
      if (wanted != wanted_at_.end() &&
          std::find(wanted->second.begin(), wanted->second.end(), x) != wanted->second.end())
        for (const DeferredInstr& line : own) lines.push_back({line, {}});
      task_.edit.lose(at, x, SimpleExpr(x), std::move(own));
    }
    if (lines.empty()) return;
    Instruction instr = task_.version.body[at].instr;
    auto* const assume = std::get_if<Assume>(&instr);
    auto& with = assume != nullptr ? assume->exit.with : std::get<Anchor>(instr).exit.with;
    with.insert(with.begin(), lines.begin(), lines.end());
    task_.edit.replace(at, std::move(instr));
  }

  void remove(const Sinkable& s) {
    if (mutant(66)) return;
    for (const Position at : s.parts) task_.edit.remove(at);
    for (const Position at : s.drops) task_.edit.remove(at);
  }

  VersionTask& task_;
  Sinkables sinkable_;
  SunkParts parts_;
  std::unordered_map<Position, std::vector<Var>> wanted_at_; // by exit
};

} // namespace

std::optional<PassResult> sink(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) { Sinking(task).run(); });
}

} // namespace sourir
