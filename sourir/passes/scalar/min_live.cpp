#include "sourir/passes/scalar/min_live.h"

#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <unordered_set>

namespace sourir {
namespace {

// Variables that must be in scope: something mentions them later, if only to change them.
struct NeededNames {
  using State = VarSet;
  static constexpr Direction kDirection = Direction::Backward;

  State boundary(BlockId) const { return {}; }
  void transfer(State& needed, Position at) const {
    const Instruction& instr = version.body[at].instr;
    if (const Var* const x = scope_effect(instr).declares) needed.erase(*x);
    if (const auto* const hint = std::get_if<GuardHint>(&instr)) return add_hint(*hint, needed);
    add_uses(instr, needed);
    if (const Var* const x = defined_by(instr);
        x != nullptr && scope_effect(instr).declares == nullptr)
      needed.insert(*x);
  }
  static void add_hint(const GuardHint& hint, State& needed) {
    for (const Expr& e : hint.guards) for_each_variable(e, [&](Var x) { needed.insert(x); });
  }

  const Version& version;
};

class ShortRanges {
public:
  explicit ShortRanges(VersionTask& task)
      : task_(task), version_(task.version), cfg_(task.facts.cfg()), problem_{version_},
        ends_(solve(cfg_, problem_)), begins_(cfg_.blocks().size()),
        scope_at_end_(cfg_.blocks().size()) {}

  void shorten() {
    for (const BlockId b : cfg_.reverse_postorder()) {
      begins_[b.id] = *ends_[b.id];
      replay(cfg_, problem_, b, begins_[b.id], [](Position, const VarSet&) {});
      scope_at_end_[b.id] = scope_at_end(b);
    }
    for (const BlockId b : cfg_.reverse_postorder()) find_stuck(b);
    for (const BlockId b : cfg_.reverse_postorder()) place_drops(b);
  }

private:
  bool is_drop(Position at) const { return std::holds_alternative<Drop>(version_.body[at].instr); }

  // The variables in scope at the end of a block: no drop can follow a jump.
  VarSet scope_at_end(BlockId b) const {
    const Block& block = cfg_[b];
    if (block.begin == block.end || falls_through(block.end - 1)) return *ends_[b.id];
    VarSet left = *ends_[b.id];
    problem_.transfer(left, block.end - 1);
    return left;
  }

  bool falls_through(Position at) const { return successors(version_.body[at].instr).next; }

  bool is_entry(BlockId b) const { return b == cfg_.roots().front(); }

  // Variables that are in scope on some edges into the block but not on others, though nothing
  // there needs them, keep their drops.
  void find_stuck(BlockId b) {
    VarSet some = is_entry(b) ? parameters() : VarSet();
    for (const BlockId p : cfg_[b].predecessors) some.join(scope_at_end_[p.id]);
    for (const Var x : some) {
      if (begins_[b.id].contains(x)) continue;
      bool all = !is_entry(b) || parameters().contains(x);
      for (const BlockId p : cfg_[b].predecessors) all &= scope_at_end_[p.id].contains(x);
      if (!all) stuck_.insert(x);
    }
  }

  VarSet parameters() const {
    VarSet all;
    for (const Var x : task_.function.params) all.insert(x);
    return all;
  }

  // Drops after the instructions of the block, and at its beginning.
  void place_drops(BlockId b) {
    const Block& block = cfg_[b];
    VarSet coming = is_entry(b) ? parameters() : VarSet();
    for (const BlockId p : cfg_[b].predecessors) coming.join(scope_at_end_[p.id]);
    std::vector<VarSet> needed(block.end - block.begin); // after each instruction
    VarSet state = *ends_[b.id];
    replay(cfg_, problem_, b, state,
           [&](Position at, const VarSet& after) { needed[at - block.begin] = after; });
    Position at = place(b, block.begin, without(coming, state));
    while (at < block.end) {
      VarSet there = state;
      if (at > block.begin) there = needed[at - 1 - block.begin];
      if (const Var* const x = scope_effect(version_.body[at].instr).declares) there.insert(*x);
      const VarSet gone = without(there, needed[at - block.begin]);
      if (at + 1 < block.end)
        at = place(b, at + 1, gone);
      else
        append(at++, gone);
    }
  }

  // After the last instruction of a block, before the labels of the next one.
  void append(Position at, const VarSet& gone) {
    if (!falls_through(at) || ends_version(at + 1)) return;
    for (const Var x : gone) task_.edit.append(at, Drop{x});
  }

  VarSet without(const VarSet& all, const VarSet& rest) const {
    VarSet left;
    for (const Var x : all)
      if (!rest.contains(x) && !stuck_.contains(x)) left.insert(x);
    return left;
  }

  // Turns the drops from `at` on into those of `wanted`; the position after them.
  Position place(BlockId b, Position at, VarSet wanted) {
    const Block& block = cfg_[b];
    Position end = at;
    while (end < block.end && is_drop(end)) ++end;
    if (end == at && at == block.end) return at; // the end of main has no place for drops
    if (end_follows(b, end)) wanted = {};
    for (Position p = at; p < end; ++p) {
      const Var x = std::get<Drop>(version_.body[p].instr).name;
      if (wanted.contains(x))
        wanted.erase(x);
      else if (!stuck_.contains(x))
        task_.edit.remove(p);
    }
    for (const Var x : wanted) task_.edit.insert(at, Drop{x});
    return end;
  }

  // The end of the version, reached by one edge at most: scopes there need not agree.
  bool ends_version(Position at) const {
    return at == version_.body.size() && cfg_[cfg_.block_of(at)].predecessors.size() < 2;
  }

  bool end_follows(BlockId b, Position at) const {
    if (ends_version(at)) return true;
    if (at >= cfg_[b].end) return false;
    const Instruction& instr = version_.body[at].instr;
    return std::holds_alternative<Return>(instr) || std::holds_alternative<Stop>(instr);
  }

  VersionTask& task_;
  const Version& version_;
  const Cfg& cfg_;
  NeededNames problem_;
  Solution<NeededNames> ends_;
  std::vector<VarSet> begins_; // needed at the begin of each block
  std::vector<VarSet> scope_at_end_;
  std::unordered_set<Var> stuck_;
};

} // namespace

std::optional<PassResult> min_live(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) { ShortRanges(task).shorten(); });
}

} // namespace sourir
