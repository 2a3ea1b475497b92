#include "sourir/passes/loops/licm.h"

#include "sourir/analysis/expr_hash.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <map>

namespace sourir {
namespace {

// The positions before a loop and after it at which instructions can be inserted. At the end of a
// block: before its last instruction if that jumps.
struct LoopPlaces {
  std::size_t loop = 0;
  // The edges into the loop from outside; one: there is a preheader.
  std::vector<Position> entries;        // their gotos
  std::vector<Position> exit_positions; // drops go before these
  Position header = 0;
};

constexpr std::size_t kMostExits = 64;

bool is_goto(const Version& version, const Block& block) {
  return block.begin < block.end && std::holds_alternative<Goto>(version.body[block.end - 1].instr);
}

// Drops for the edge go before its goto, or to its target if only the loop leads there. Empty:
// neither is possible.
std::optional<Position> place_on(VersionTask& task, std::size_t loop, BlockId from, BlockId to) {
  const Cfg& cfg = task.facts.cfg();
  if (is_goto(task.version, cfg[from])) return cfg[from].end - 1;
  for (const BlockId p : cfg[to].predecessors)
    if (!task.facts.loops().contains(loop, p)) return std::nullopt;
  if (cfg[to].root) return std::nullopt;
  if (cfg[to].begin == task.version.body.size()) return std::nullopt;
  return cfg[to].begin;
}

// Empty: the header is a root, control falls through into the loop or (where a preheader would be
// appended) off the end of the version, an edge out of the loop has no position for drops, or there
// are too many such edges.
std::optional<LoopPlaces> places_of(VersionTask& task, std::size_t loop) {
  const Cfg& cfg = task.facts.cfg();
  const Loops& loops = task.facts.loops();
  const BlockId header = loops.loops()[loop].header;
  LoopPlaces places{.loop = loop, .header = cfg[header].begin};
  if (cfg[header].root) return std::nullopt;
  for (const BlockId p : cfg[header].predecessors) {
    if (loops.contains(loop, p)) continue;
    if (!is_goto(task.version, cfg[p])) return std::nullopt;
    places.entries.push_back(cfg[p].end - 1);
  }
  const bool runs_off = successors(task.version.body.back().instr).next;
  if (places.entries.size() > 1 && runs_off) return std::nullopt;
  for (const auto& [from, to] : loops.exits(cfg, loop)) {
    const auto place = place_on(task, loop, from, to);
    if (!place || places.exit_positions.size() == kMostExits) return std::nullopt;
    const Instruction& there = task.version.body[*place].instr;
    if (!std::holds_alternative<Return>(there) && !std::holds_alternative<Stop>(there))
      places.exit_positions.push_back(*place);
  }
  std::sort(places.exit_positions.begin(), places.exit_positions.end());
  places.exit_positions.erase(
      std::unique(places.exit_positions.begin(), places.exit_positions.end()),
      places.exit_positions.end());
  return places;
}

// Puts instructions before the loop: into the preheader, or into a new one after the version.
// `fresh` holds all labels.
void insert_before(VersionTask& task, const LoopPlaces& places, std::vector<Instruction> instrs,
                   FreshNames& fresh) {
  if (places.entries.size() == 1) {
    for (Instruction& i : instrs) task.edit.insert(places.entries.front(), std::move(i));
    return;
  }
  const auto end = static_cast<Position>(task.version.body.size());
  const Label before = fresh.fresh<Label>("before_loop");
  const Label header = std::get<Goto>(task.version.body[places.entries.front()].instr).target;
  for (const Position at : places.entries) task.edit.replace(at, Goto{before});
  std::optional<Label> label = before;
  instrs.push_back(Goto{header});
  for (Instruction& i : instrs) {
    if (label)
      task.edit.insert_labelled(end, *label, std::move(i), places.header);
    else
      task.edit.insert(end, std::move(i), places.header);
    label.reset();
  }
}

class Motion {
public:
  explicit Motion(VersionTask& task)
      : task_(task), loops_(task.facts.loops()), fresh_(task.fresh_names()) {}

  void move() {
    const Cfg& cfg = task_.facts.cfg();
    find_targets();
    for (const BlockId b : cfg.reverse_postorder())
      if (loops_.innermost(b))
        for (Position at = cfg[b].begin; at < cfg[b].end; ++at) visit(at, *loops_.innermost(b));
    for (Target& target : targets_) finish(target);
  }

private:
  struct Target {
    std::optional<LoopPlaces> places; // empty: nothing can be moved before it
    Facts before;                     // facts there
    VarSet changed;                   // in the loop, inner ones included
    std::unordered_map<Expr, Var, ExprHash> moved;
    std::vector<Instruction> instrs;
  };

  void find_targets() {
    const Cfg& cfg = task_.facts.cfg();
    targets_.resize(loops_.loops().size());
    for (std::size_t l = 0; l < targets_.size(); ++l) {
      targets_[l].places = places_of(task_, l);
      if (targets_[l].places) targets_[l].before = facts_before(*targets_[l].places);
    }
    for (const BlockId b : cfg.reverse_postorder())
      if (const auto loop = loops_.innermost(b))
        for (Position at = cfg[b].begin; at < cfg[b].end; ++at)
          record_changes(task_.version.body[at].instr, targets_[*loop].changed);
    for (std::size_t l = targets_.size(); l-- > 0;)
      if (const auto parent = loops_.loops()[l].parent)
        targets_[*parent].changed.join(targets_[l].changed);
  }

  static void record_changes(const Instruction& instr, VarSet& changed) {
    if (const Var* const x = defined_by(instr)) changed.insert(*x);
    if (const Var* const x = scope_effect(instr).drops) changed.insert(*x);
  }

  // The facts that hold at all entries.
  Facts facts_before(const LoopPlaces& places) {
    const Cfg& cfg = task_.facts.cfg();
    std::optional<Facts> all;
    for (const Position at : places.entries) {
      const BlockId b = cfg.block_of(at);
      const auto& begin = task_.facts.constants()[b.id];
      if (!begin) continue; // not reached
      Facts facts = *begin;
      replay(cfg, task_.facts.constants_problem(), b, facts, [](Position, const Facts&) {});
      if (all)
        all->join(facts);
      else
        all = std::move(facts);
    }
    return all.value_or(Facts{});
  }

  void visit(Position at, std::size_t loop) {
    const Instruction& instr = task_.version.body[at].instr;
    if (exit_of(instr) != nullptr || std::holds_alternative<GuardHint>(instr) ||
        std::holds_alternative<Assert>(instr) || std::holds_alternative<Branch>(instr))
      return;
    Instruction now = instr;
    const auto* const decl = std::get_if<Decl>(&instr);
    map_expressions(now, [&](Expr& e) {
      if (const auto x = moved(e, loop, decl != nullptr ? &decl->name : nullptr))
        e = SimpleExpr(*x);
    });
    if (now != instr) task_.edit.replace(at, std::move(now));
  }

  // The variable that holds the value of the expression, declared before the outermost loop that
  // the expression can be moved out of.
  std::optional<Var> moved(const Expr& e, std::size_t loop, const Var* name) {
    if (std::holds_alternative<SimpleExpr>(e) || std::holds_alternative<Index>(e))
      return std::nullopt;
    Target* found = nullptr;
    for (std::optional<std::size_t> l = loop; l; l = loops_.loops()[*l].parent) {
      if (!invariant(e, targets_[*l])) break;
      if (targets_[*l].places && is_total(e, targets_[*l].before)) found = &targets_[*l];
    }
    if (found == nullptr) return std::nullopt;
    const auto known = found->moved.find(e);
    if (known != found->moved.end()) return known->second;
    const Var x = fresh_.fresh<Var>(name != nullptr ? task_.input.names.text(*name) : "before");
    found->moved.emplace(e, x);
    found->instrs.push_back(Decl{x, e});
    return x;
  }

  static bool invariant(const Expr& e, const Target& target) {
    bool changed = false, varies = false;
    for_each_variable(e, [&](Var x) {
      varies = true;
      changed |= target.changed.contains(x);
    });
    return varies && !changed;
  }

  void finish(Target& target) {
    if (target.instrs.empty()) return;
    for (const Position at : target.places->exit_positions)
      for (const Instruction& i : target.instrs)
        task_.edit.insert(at, Drop{std::get<Decl>(i).name});
    insert_before(task_, *target.places, std::move(target.instrs), fresh_);
  }

  VersionTask& task_;
  const Loops& loops_;
  FreshNames fresh_;
  std::vector<Target> targets_;
};

} // namespace

std::optional<PassResult> licm(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) { Motion(task).move(); });
}

} // namespace sourir
