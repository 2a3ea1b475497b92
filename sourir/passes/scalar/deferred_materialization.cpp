#include "sourir/passes/scalar/deferred_materialization.h"

#include "sourir/analysis/version_analyses.h"
#include "sourir/passes/core/rewrite.h"
#include "sourir/syntax/exits.h"
#include "sourir/syntax/successors.h"
#include "sourir/syntax/traverse.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <unordered_set>

namespace sourir {
namespace {

// A variable whose value only exits use. `parts`: its declaration, then the stores into it, in
// order of the text.
struct Deferrable {
  std::vector<Position> parts;
  std::vector<Position> drops;
  std::vector<Position> exits; // that use it
};
using Sinkables = std::map<Var, Deferrable>;

// How many of the parts of each variable were executed, in order; a variable is listed only while
// all variables that they read are unchanged.
class DeferredParts {
public:
  struct State {
    VarMap<std::uint32_t> parts;
    bool join(const State& other);
    friend bool operator==(const State&, const State&) = default;
  };
  static constexpr Direction kDirection = Direction::Forward;

  DeferredParts(const Version& version, const Sinkables& sinkables);
  State boundary(BlockId) const { return {}; }
  void transfer(State& state, Position at) const;

private:
  struct Part {
    Var of;
    std::uint32_t number;
  };
  struct Operand { // of the variable's part with that number
    Var of;
    std::uint32_t number;
  };
  const Version& version_;
  std::unordered_map<Position, Part> part_at_;
  std::unordered_map<Var, std::vector<Operand>> operands_;
};

constexpr std::size_t kMostParts = 16;
constexpr std::uint64_t kMostElements = 16;

std::optional<std::uint64_t> literal_index(const Expr& e) {
  const auto* const simple = std::get_if<SimpleExpr>(&e);
  const auto* const n = simple != nullptr ? std::get_if<std::int64_t>(simple) : nullptr;
  if (n == nullptr || *n < 0) return std::nullopt;
  return static_cast<std::uint64_t>(*n);
}

// The length of the array that the instruction makes; empty: none, or too long to be made again.
std::optional<std::uint64_t> made_length(const Instruction& instr) {
  std::optional<std::uint64_t> length;
  if (const auto* const decl = std::get_if<ArrayDecl>(&instr)) length = literal_index(decl->length);
  if (const auto* const def = std::get_if<ArrayDef>(&instr)) length = def->elements.size();
  return length && *length <= kMostElements ? length : std::nullopt;
}

// Cannot fail, and has the same value as long as its variables have: no element of an array, which
// may change through another name.
bool can_move(const Expr& e, const Facts& facts) {
  return !std::holds_alternative<Index>(e) && is_total(e, facts);
}

bool all_can_move(const std::vector<Expr>& all, const Facts& facts) {
  return std::all_of(all.begin(), all.end(), [&](const Expr& e) { return can_move(e, facts); });
}

class Finder {
public:
  explicit Finder(VersionAnalyses& facts) : facts_(facts), version_(facts.version()) {}

  Sinkables find() {
    const Cfg& cfg = facts_.cfg();
    for (const BlockId b : cfg.reverse_postorder()) {
      if (!facts_.constants()[b.id]) continue;
      Facts known = *facts_.constants()[b.id];
      replay(cfg, facts_.constants_problem(), b, known,
             [&](Position at, const Facts& before) { look(at, before); });
    }
    for (Position at = 0; at < version_.body.size(); ++at) record_uses(at);
    const auto& function = facts_.function();
    refused_.insert(function.params.begin(), function.params.end());
    std::erase_if(found_, [&](const auto& entry) {
      return refused_.contains(entry.first) || entry.second.exits.empty() ||
             entry.second.parts.size() > kMostParts || declared_[entry.first] != 1;
    });
    return std::move(found_);
  }

private:
  void look(Position at, const Facts& before) {
    const Instruction& instr = version_.body[at].instr;
    if (const auto* const decl = std::get_if<Decl>(&instr)) {
      if (!decl->value || can_move(*decl->value, before)) found_[decl->name].parts.push_back(at);
    } else if (const auto* const def = std::get_if<ArrayDef>(&instr)) {
      if (made_length(instr) && all_can_move(def->elements, before))
        found_[def->name].parts.push_back(at);
    } else if (const auto* const array = std::get_if<ArrayDecl>(&instr)) {
      if (made_length(instr)) found_[array->name].parts.push_back(at);
    } else if (const auto* const store = std::get_if<ArrayUpdate>(&instr)) {
      if (can_move(store->value, before)) movable_stores_.insert(at);
    }
  }

  void record_uses(Position at) {
    const Instruction& instr = version_.body[at].instr;
    if (const Var* const x = scope_effect(instr).declares) ++declared_[*x];
    if (const Metadata* const exit = exit_of(instr)) record_exit(at, *exit);
    for_each_name(instr, [&](NameUse use) {
      const Var x{use.id};
      switch (use.role) {
      case NameRole::Use:
      case NameRole::Assign: refused_.insert(x); break;
      case NameRole::Update: record_store(at, std::get<ArrayUpdate>(instr)); break;
      case NameRole::Drop:
        if (const auto found = found_.find(x); found != found_.end())
          found->second.drops.push_back(at);
        break;
      default: break;
      }
    });
  }

  void record_exit(Position at, const Metadata& exit) {
    if (!facts_.cfg().reachable(at)) return;
    std::unordered_set<Var> made;
    for (const Deferred& d : exit.with)
      if (makes_subject(d.instr)) made.insert(subject(d.instr));
    for_each_origin_name(exit, [&](Var x) {
      const auto found = found_.find(x);
      if (made.contains(x) || found == found_.end()) return;
      auto& exits = found->second.exits;
      if (exits.empty() || exits.back() != at) exits.push_back(at);
    });
  }

  void record_store(Position at, const ArrayUpdate& store) {
    const auto found = found_.find(store.array);
    if (found == found_.end()) return;
    const auto length = made_length(version_.body[found->second.parts.front()].instr);
    const auto index = literal_index(store.index);
    if (length && index && *index < *length && movable_stores_.contains(at))
      found->second.parts.push_back(at);
    else
      refused_.insert(store.array);
  }

  VersionAnalyses& facts_;
  const Version& version_;
  Sinkables found_;
  std::unordered_set<Var> refused_;
  std::unordered_set<Position> movable_stores_;
  std::unordered_map<Var, std::uint32_t> declared_;
};

// With total parts that read nothing but literals and other variables. Whether those still have the
// same values at the exits is decided by DeferredParts.
Sinkables find_sinkable(VersionAnalyses& facts) { return Finder(facts).find(); }

DeferredParts::DeferredParts(const Version& version, const Sinkables& sinkables)
    : version_(version) {
  for (const auto& [x, sinkable] : sinkables)
    for (std::uint32_t k = 0; k < sinkable.parts.size(); ++k) {
      const Position at = sinkable.parts[k];
      part_at_.emplace(at, Part{x, k});
      for_each_name(version.body[at].instr, [&, x = x](NameUse use) {
        if (use.role == NameRole::Use) operands_[Var{use.id}].push_back({x, k});
      });
    }
}

bool DeferredParts::State::join(const State& other) {
  return parts.meet(other.parts, [](std::uint32_t a, std::uint32_t b) { return a == b; });
}

void DeferredParts::transfer(State& state, Position at) const {
  if (const auto found = part_at_.find(at); found != part_at_.end()) {
    const auto& [x, number] = found->second;
    const std::uint32_t* const done = state.parts.find(x);
    if (number == 0 || (done != nullptr && *done == number))
      state.parts.set(x, number + 1);
    else
      state.parts.erase(x);
  }
  for_each_name(version_.body[at].instr, [&](NameUse use) {
    if (use.role != NameRole::Assign && use.role != NameRole::Drop) return;
    if (use.role == NameRole::Drop) state.parts.erase(Var{use.id});
    const auto found = operands_.find(Var{use.id});
    if (found == operands_.end()) return;
    for (const Operand& operand : found->second)
      if (const std::uint32_t* const done = state.parts.find(operand.of);
          done != nullptr && operand.number < *done)
        state.parts.erase(operand.of);
  });
}

DeferredInstr deferred(const Instruction& instr) {
  if (const auto* const decl = std::get_if<Decl>(&instr)) return *decl;
  if (const auto* const array = std::get_if<ArrayDecl>(&instr)) return *array;
  if (const auto* const def = std::get_if<ArrayDef>(&instr)) return *def;
  return std::get<ArrayUpdate>(instr);
}

class Deferral {
public:
  explicit Deferral(VersionTask& task)
      : task_(task), sinkable_(find_sinkable(task.facts)), parts_(task.version, sinkable_) {}

  void run() {
    if (sinkable_.empty()) return;
    const Cfg& cfg = task_.facts.cfg();
    const auto solution = solve(cfg, parts_);
    const auto each_position = [&](auto&& visit) {
      for (const BlockId b : cfg.reverse_postorder()) {
        DeferredParts::State state = *solution[b.id];
        replay(cfg, parts_, b, state, visit);
        if (cfg[b].begin == task_.version.body.size()) visit(cfg[b].end, state);
      }
    };
    for (const auto& [x, s] : sinkable_)
      for (const Position at : s.exits) wanted_at_[at].push_back(x);
    each_position([&](Position at, const DeferredParts::State& state) { refuse(at, state); });
    each_position([&](Position at, const DeferredParts::State& state) { sink_into(at, state); });
    for (const auto& [x, s] : sinkable_) remove(s);
  }

private:
  std::vector<DeferredInstr> made(Var x, std::uint32_t parts) const {
    std::vector<DeferredInstr> lines;
    const Deferrable& s = sinkable_.at(x);
    for (std::uint32_t k = 0; k < parts; ++k)
      lines.push_back(deferred(task_.version.body[s.parts[k]].instr));
    return lines;
  }

  // A variable whose value some exit cannot make is not deferred.
  void refuse(Position at, const DeferredParts::State& state) {
    const auto wanted = wanted_at_.find(at);
    if (wanted == wanted_at_.end()) return;
    for (const Var x : wanted->second)
      if (state.parts.find(x) == nullptr) sinkable_.erase(x);
  }

  void sink_into(Position at, const DeferredParts::State& state) {
    std::vector<Deferred> lines;
    for (const auto& [x, parts] : state.parts) {
      const auto found = sinkable_.find(x);
      if (found == sinkable_.end()) continue;
      auto own = made(x, parts);
      const auto wanted = wanted_at_.find(at);
      if (wanted != wanted_at_.end() &&
          std::find(wanted->second.begin(), wanted->second.end(), x) != wanted->second.end())
        for (const DeferredInstr& line : own) lines.push_back({line, {}});
      task_.edit.optimize_out(at, x, SimpleExpr(x), std::move(own));
    }
    if (lines.empty()) return;
    Instruction instr = task_.version.body[at].instr;
    auto& with = exit_of(instr)->with;
    with.insert(with.begin(), lines.begin(), lines.end());
    task_.edit.replace(at, std::move(instr));
  }

  void remove(const Deferrable& s) {
    for (const Position at : s.parts) task_.edit.remove(at);
    for (const Position at : s.drops) task_.edit.remove(at);
  }

  VersionTask& task_;
  Sinkables sinkable_;
  DeferredParts parts_;
  std::unordered_map<Position, std::vector<Var>> wanted_at_; // by exit
};

} // namespace

std::optional<PassResult> deferred_materialization(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) { Deferral(task).run(); });
}

} // namespace sourir
