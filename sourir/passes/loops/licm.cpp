#include "sourir/passes/loops/licm.h"

#include "sourir/analysis/dominating_exits.h"
#include "sourir/analysis/elements.h"
#include "sourir/analysis/expr_hash.h"
#include "sourir/analysis/facts_at.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/contains.h"
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

// A load of the element at a literal index.
struct Load {
  Var array;
  std::int64_t index;
};

// Of `a[k]`, with a literal k that is not negative.
std::optional<Load> load_of(const Expr& e) {
  const auto* const load = std::get_if<Index>(&e);
  const auto* const k = load == nullptr ? nullptr : std::get_if<std::int64_t>(&load->index);
  if (k == nullptr || *k < 0) return std::nullopt;
  return Load{load->array, *k};
}

bool has_other_index(const ArrayUpdate& store, const Load& load) {
  const auto* const index = std::get_if<SimpleExpr>(&store.index);
  const auto* const k = index == nullptr ? nullptr : std::get_if<std::int64_t>(index);
  return k != nullptr && *k != load.index;
}

// Which elements of which arrays each loop may store into.
class LoopStores {
public:
  explicit LoopStores(VersionTask& task) : task_(task), loops_(task.facts.loops().loops().size()) {
    const Cfg& cfg = task.facts.cfg();
    for (const BlockId b : cfg.reverse_postorder()) {
      bool stores = false, calls = false;
      for (Position at = cfg[b].begin; at < cfg[b].end; ++at) {
        stores |= std::holds_alternative<ArrayUpdate>(task.version.body[at].instr);
        calls |= std::holds_alternative<Call>(task.version.body[at].instr);
      }
      for (auto l = task.facts.loops().innermost(b); l; l = task.facts.loops().loops()[*l].parent) {
        loops_[*l].calls |= calls;
        if (stores) loops_[*l].storing.push_back(b);
      }
    }
  }

  // `load.array` holds the same array in all of the loop. Any call may store.
  bool may_hit(std::size_t loop, const Load& load) {
    if (loops_[loop].calls) return true;
    for (const BlockId b : loops_[loop].storing)
      if (may_hit(b, load)) return true;
    return false;
  }

private:
  struct OfLoop {
    bool calls = false;
    std::vector<BlockId> storing;
  };

  bool may_hit(BlockId b, const Load& load) {
    const Cfg& cfg = task_.facts.cfg();
    if (!aliases_) {
      aliases_.emplace(task_.version, cfg, task_.facts.scopes());
      solution_ = solve(cfg, *aliases_);
    }
    if (!solution_[b.id]) return false; // not reached
    AliasState state = *solution_[b.id];
    bool hit = false;
    replay(cfg, *aliases_, b, state, [&](Position at, const AliasState& before) {
      const auto* const store = std::get_if<ArrayUpdate>(&task_.version.body[at].instr);
      if (store == nullptr || hit) return;
      hit = !has_other_index(*store, load) && before.may_alias(store->array, load.array);
    });
    return hit;
  }

  VersionTask& task_;
  std::vector<OfLoop> loops_;
  std::optional<Aliases> aliases_;
  Solution<Aliases> solution_;
};

// Guards `length(a) > k` at exits in front of loops, with the metadata of the exit: it is as right
// after its guards as before them.
class LengthGuards {
public:
  explicit LengthGuards(VersionTask& task) : task_(task), exits_(task.facts), facts_(task.facts) {
    const Cfg& cfg = task.facts.cfg();
    exits_.for_each_position(
        [&](Position at, const Definitions::State& state, std::optional<std::size_t> nearest) {
          const BlockId b = cfg.block_of(at);
          if (cfg[b].begin == at && nearest) at_begin_.emplace(b.id, AtBegin{state, *nearest});
        });
  }

  // The exit at which the array is known to be one, and the same as at the header of the loop.
  std::optional<Position> place_for(BlockId header, Var array) {
    const auto found = at_begin_.find(header.id);
    if (found == at_begin_.end()) return std::nullopt;
    const DominatingExits::Exit& exit = exits_[found->second.exit];
    if (!reads_the_same(SimpleExpr(array), exit.state, found->second.state)) return std::nullopt;
    const Facts* const before = facts_.before(exit.at);
    if (before == nullptr) return std::nullopt;
    Facts after = *before;
    task_.facts.constants_problem().transfer(after, exit.at);
    if (!after.passed || after.about(array).types != TypeSet(Kind::Array)) return std::nullopt;
    return exit.at;
  }

  void require(Position exit, const Load& load) {
    std::int64_t& most = most_[{exit, load.array}];
    most = std::max(most, load.index);
  }

  void insert(FreshNames& fresh) {
    for (const auto& [place, index] : most_) {
      const auto& [at, array] = place;
      const Var size = fresh.fresh<Var>("size");
      const Expr longer = Binary{BinaryOp::Gt, SimpleExpr(size), SimpleExpr(index)};
      task_.edit.append(at, Decl{size, Length{SimpleExpr(array)}});
      task_.edit.append(at, Assume{{longer}, *exit_of(task_.version.body[at].instr)});
      task_.edit.append(at, Drop{size});
    }
  }

private:
  struct AtBegin {
    Definitions::State state;
    std::size_t exit;
  };

  VersionTask& task_;
  DominatingExits exits_;
  FactsAt facts_;
  std::unordered_map<std::uint32_t, AtBegin> at_begin_; // by block
  std::map<std::pair<Position, Var>, std::int64_t> most_;
};

enum class Loads : std::uint8_t { None, Running, All };

class Motion {
public:
  Motion(VersionTask& task, Loads loads)
      : task_(task), loops_(task.facts.loops()), fresh_(task.fresh_names()), loads_(loads),
        facts_(task.facts) {}

  void move() {
    const Cfg& cfg = task_.facts.cfg();
    if (loops_.loops().empty()) return;
    find_targets();
    for (const BlockId b : cfg.reverse_postorder())
      if (loops_.innermost(b))
        for (Position at = cfg[b].begin; at < cfg[b].end; ++at) visit(at, *loops_.innermost(b));
    for (Target& target : targets_) finish(target);
    if (lengths_) lengths_->insert(fresh_);
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
      const Var* const name = decl != nullptr ? &decl->name : nullptr;
      const auto x =
          std::holds_alternative<Index>(e) ? moved_load(e, at, loop, name) : moved(e, loop, name);
      if (x) e = SimpleExpr(*x);
    });
    if (now != instr) task_.edit.replace(at, std::move(now));
  }

  // The variable that holds the value of the expression, declared before the outermost loop that
  // the expression can be moved out of.
  std::optional<Var> moved(const Expr& e, std::size_t loop, const Var* name) {
    if (std::holds_alternative<SimpleExpr>(e)) return std::nullopt;
    Target* found = nullptr;
    for (std::optional<std::size_t> l = loop; l; l = loops_.loops()[*l].parent) {
      if (!invariant(e, targets_[*l])) break;
      if (targets_[*l].places && is_total(e, targets_[*l].before)) found = &targets_[*l];
    }
    if (found == nullptr) return std::nullopt;
    return variable_for(e, *found, name);
  }

  // The same for a load that each iteration executes.
  std::optional<Var> moved_load(const Expr& e, Position at, std::size_t loop, const Var* name) {
    const auto load = load_of(e);
    if (!load || !wanted(at, *load)) return std::nullopt;
    Target* found = nullptr;
    std::optional<Position> guard;
    for (std::optional<std::size_t> l = loop; l; l = loops_.loops()[*l].parent) {
      Target& target = targets_[*l];
      if (!invariant(e, target) || !in_each_iteration(at, *l) || may_hit(*l, *load)) break;
      if (!target.places || target.before.about(load->array).types != TypeSet(Kind::Array))
        continue;
      if (loads_ == Loads::Running && !begins_version(*target.places)) continue;
      const bool total = is_total(e, target.before);
      const auto place = total ? std::nullopt : length_guard(*l, load->array);
      if (!total && !place) continue;
      found = &target;
      guard = place;
    }
    if (found == nullptr) return std::nullopt;
    if (guard) lengths_->require(*guard, *load);
    return variable_for(e, *found, name);
  }

  // Loads::Running: the load is of a value whose type is tested next, which is not known already
  // because of a test of all elements.
  bool wanted(Position at, const Load& load) {
    if (loads_ != Loads::Running) return loads_ == Loads::All;
    const auto& body = task_.version.body;
    const Var* const x = defined_by(body[at].instr);
    const auto* const next =
        at + 1 < body.size() ? std::get_if<Assume>(&body[at + 1].instr) : nullptr;
    if (x == nullptr || next == nullptr) return false;
    const bool tested = std::ranges::any_of(next->guards, [&](const Expr& guard) {
      const auto* const test = std::get_if<KindTest>(&guard);
      return test != nullptr && test->operand == SimpleExpr(*x);
    });
    if (!tested) return false;
    const Facts* const before = facts_.before(at);
    return before != nullptr && before->about(load.array).elements == kAnyType;
  }

  bool begins_version(const LoopPlaces& places) const {
    return places.entries.size() == 1 && task_.facts.cfg().block_of(places.entries[0]).id == 0;
  }

  bool in_each_iteration(Position at, std::size_t loop) const {
    const BlockId b = task_.facts.cfg().block_of(at);
    return std::ranges::all_of(loops_.loops()[loop].latches, [&](BlockId latch) {
      return task_.facts.dominators().dominates(b, latch);
    });
  }

  bool may_hit(std::size_t loop, const Load& load) {
    if (!stores_) stores_.emplace(task_);
    return stores_->may_hit(loop, load);
  }

  std::optional<Position> length_guard(std::size_t loop, Var array) {
    if (!lengths_) lengths_.emplace(task_);
    return lengths_->place_for(loops_.loops()[loop].header, array);
  }

  Var variable_for(const Expr& e, Target& target, const Var* name) {
    const auto known = target.moved.find(e);
    if (known != target.moved.end()) return known->second;
    const Var x = fresh_.fresh<Var>(name != nullptr ? task_.input.names.text(*name) : "before");
    target.moved.emplace(e, x);
    target.instrs.push_back(Decl{x, e});
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
  Loads loads_;
  FactsAt facts_;
  std::optional<LoopStores> stores_;
  std::optional<LengthGuards> lengths_;
  std::vector<Target> targets_;
};

Loads loads_option(const PassInput& input) {
  const std::string_view text = input.options.text("loads");
  return text == "all" ? Loads::All : text == "running" ? Loads::Running : Loads::None;
}

} // namespace

std::optional<PassResult> licm(const PassInput& input) {
  return rewrite_versions(input,
                          [&](VersionTask& task) { Motion(task, loads_option(input)).move(); });
}

} // namespace sourir
