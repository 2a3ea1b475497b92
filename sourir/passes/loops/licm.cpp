#include "sourir/passes/loops/licm.h"

#include "sourir/analysis/expr_hash.h"
#include "sourir/analysis/mutant.h"
#include "sourir/passes/loops/loop_places.h"
#include "sourir/syntax/exit_frames.h"
#include "sourir/syntax/map_expressions.h"
#include "sourir/syntax/successors.h"

#include <map>

namespace sourir {
namespace {

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
    Facts before;                     // what is known there
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
          note_changes(task_.version.body[at].instr, targets_[*loop].changed);
    for (std::size_t l = targets_.size(); l-- > 0;)
      if (const auto parent = loops_.loops()[l].parent)
        targets_[*parent].changed.join(targets_[l].changed);
  }

  static void note_changes(const Instruction& instr, VarSet& changed) {
    if (const Var* const x = defined_by(instr)) changed.insert(*x);
    if (const Var* const x = scope_effect(instr).drops) changed.insert(*x);
  }

  // What is known at all entries.
  Facts facts_before(const LoopPlaces& places) {
    const Cfg& cfg = task_.facts.cfg();
    std::optional<Facts> all;
    for (const Position at : places.entries) {
      const BlockId b = cfg.block_of(at);
      const auto& begin = task_.facts.constants()[b.id];
      if (!begin) continue; // control does not come there
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

  // The variable that has the value of the expression in the loop, from the outermost loop on that
  // it can be moved out of.
  std::optional<Var> moved(const Expr& e, std::size_t loop, const Var* name) {
    if (std::holds_alternative<SimpleExpr>(e) || std::holds_alternative<Index>(e))
      return std::nullopt;
    Target* found = nullptr;
    for (std::optional<std::size_t> l = loop; l; l = loops_.loops()[*l].parent) {
      if (!invariant(e, targets_[*l])) break;
      if (targets_[*l].places && (mutant(24) || is_total(e, targets_[*l].before)))
        found = &targets_[*l];
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
    for (const Position at : target.places->leaving)
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
