#include "sourir/passes/speculation/speculate.h"

#include "sourir/analysis/facts_at.h"
#include "sourir/passes/core/correspondence.h"
#include "sourir/passes/speculation/guard_lists.h"
#include "sourir/syntax/text/printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace sourir {
namespace {

class Speculator {
public:
  explicit Speculator(VersionTask& task)
      : task_(task), wanted_(wanted_speculations(task)), exits_(task.facts), guards_(task, exits_),
        facts_(task.facts) {}

  void run() {
    std::size_t next = 0;
    exits_.for_each_position(
        [&](Position at, const Definitions::State& state, std::optional<std::size_t> nearest) {
          for (; next < wanted_.size() && wanted_[next].at <= at; ++next)
            if (wanted_[next].at == at) place(wanted_[next], state, nearest);
        });
    guards_.apply();
  }

private:
  void place(const Speculation& wanted, const Definitions::State& state,
             std::optional<std::size_t> nearest) {
    bool placed = true;
    for (const Expr& predicate : wanted.predicates) {
      // An exit at the position itself is the nearest.
      const auto here = exits_.at(wanted.at);
      placed &= place(predicate, state, here ? here : nearest, wanted.at);
    }
    if (placed && wanted.hint) task_.edit.remove(wanted.at);
  }

  bool place(const Expr& predicate, const Definitions::State& state,
             std::optional<std::size_t> nearest, Position at) {
    if (guards_.known(predicate, state, nearest)) return true;
    if (const Facts* const facts = facts_.before(at); facts != nullptr && holds(predicate, *facts))
      return true;
    std::string_view why = "control passes no exit before";
    if (nearest && !reads_the_same(predicate, exits_[*nearest].state, state))
      why = "it changes after the last exit before";
    else if (nearest && excluded(predicate, *nearest, at))
      why = "it cannot hold there";
    else if (nearest && guards_.imply(*nearest, predicate))
      return true;
    else if (nearest)
      return guards_.add(*nearest, predicate), true;
    remark(predicate, at, why);
    return false;
  }

  // An exit would always be taken with this predicate, or because of code that is never reached.
  bool excluded(const Expr& predicate, std::size_t exit, Position at) {
    const Facts* const facts = facts_.before(at);
    return facts == nullptr || cannot_hold({predicate}, *facts) ||
           guards_.excludes(exit, predicate);
  }

  void remark(const Expr& predicate, Position at, std::string_view why) {
    const Names& names = task_.input.names;
    const Place place{task_.function.name, task_.version.name, {}, at};
    task_.remarks.push_back(
        fmt::format("speculate: {} at {}: {}", print(predicate, names), print(place, names), why));
  }

  VersionTask& task_;
  std::vector<Speculation> wanted_;
  DominatingExits exits_;
  GuardLists guards_;
  FactsAt facts_;
};

} // namespace

std::optional<PassResult> speculate(const PassInput& input) {
  return rewrite_versions(input, [](VersionTask& task) { Speculator(task).run(); });
}

namespace {

// --- Predicates that are wanted in a version -----------------------------------------------------

Expr is_truth(const SimpleExpr& operand, bool value) {
  return Binary{BinaryOp::Eq, operand, value};
}

std::optional<BinaryOp> opposite(BinaryOp op) {
  switch (op) {
  case BinaryOp::Eq: return BinaryOp::Ne;
  case BinaryOp::Ne: return BinaryOp::Eq;
  case BinaryOp::Lt: return BinaryOp::Ge;
  case BinaryOp::Le: return BinaryOp::Gt;
  case BinaryOp::Gt: return BinaryOp::Le;
  case BinaryOp::Ge: return BinaryOp::Lt;
  default: return std::nullopt;
  }
}

std::vector<Expr> both(const Binary& e, bool value) {
  std::vector<Expr> predicates;
  for (const SimpleExpr& operand : {e.left, e.right})
    if (std::holds_alternative<Var>(operand)) predicates.push_back(is_truth(operand, value));
  return predicates;
}

std::vector<Expr> binary_predicates(const Binary& e, bool outcome) {
  if (e.op == BinaryOp::And) return outcome ? both(e, true) : std::vector<Expr>{};
  if (e.op == BinaryOp::Or) return outcome ? std::vector<Expr>{e} : both(e, false);
  const auto negated = opposite(e.op);
  if (!negated) return {};
  return {outcome ? e : Binary{*negated, e.left, e.right}};
}

bool mentions_variable(const Expr& e) {
  return match(
      e, [](const SimpleExpr& se) { return std::holds_alternative<Var>(se); },
      [](const Unary& u) { return std::holds_alternative<Var>(u.operand); },
      [](const Binary& b) {
        return std::holds_alternative<Var>(b.left) || std::holds_alternative<Var>(b.right);
      },
      [](const Index&) { return true; },
      [](const Length& l) { return std::holds_alternative<Var>(l.array); },
      [](const KindTest& t) { return std::holds_alternative<Var>(t.operand); },
      [](const ElementsTest& t) { return std::holds_alternative<Var>(t.operand); });
}

class Collector {
public:
  explicit Collector(VersionTask& task) : task_(task) {}

  std::vector<Speculation> all() {
    const auto outcome = task_.input.options.text("branches");
    if (outcome == "true" || outcome == "false") add_branches(outcome == "true");
    for (Position at = 0; at < task_.version.body.size(); ++at) look(at);
    for (const Feedback::Predicate& held : task_.input.feedback.predicates)
      if (const auto at = position_of(held.at)) add(*at, {held.predicate});
    for (const Feedback::BranchCounts& counts : task_.input.feedback.branches) add_profile(counts);
    std::stable_sort(wanted_.begin(), wanted_.end(),
                     [](const Speculation& a, const Speculation& b) { return a.at < b.at; });
    return std::move(wanted_);
  }

private:
  void look(Position at) {
    const Instruction& instr = task_.version.body[at].instr;
    if (const auto* const hint = std::get_if<GuardHint>(&instr)) {
      if (task_.input.options.text("hints", "true") != "false") add(at, hint->guards, true);
    }
  }

  // Only branches that are reached if all branches have this outcome.
  void add_branches(bool outcome) {
    const Cfg& cfg = task_.facts.cfg();
    std::vector<bool> seen(cfg.blocks().size());
    std::vector<BlockId> work;
    const auto enter = [&](BlockId b) {
      if (!seen[b.id]) work.push_back(b);
      seen[b.id] = true;
    };
    for (const BlockId root : cfg.roots()) enter(root);
    while (!work.empty()) {
      const Block& block = cfg[work.back()];
      work.pop_back();
      if (block.begin == block.end) continue;
      const auto* const branch = std::get_if<Branch>(&task_.version.body[block.end - 1].instr);
      if (branch != nullptr && add_branch(block.end - 1, branch->condition, outcome))
        enter(block.successors[outcome ? 0 : 1]);
      else
        for (const BlockId next : block.successors) enter(next);
    }
  }

  // Whether a predicate remains to speculate on.
  bool add(Position at, std::vector<Expr> predicates, bool hint = false) {
    std::erase_if(predicates, [](const Expr& e) { return !mentions_variable(e); });
    if (predicates.empty()) return false;
    wanted_.push_back({at, std::move(predicates), hint});
    return true;
  }

  bool add_branch(Position at, const Expr& condition, bool outcome) {
    return add(at, predicates_for(condition, outcome));
  }

  // Only for a branch that has always had the same outcome and is still in this version: where it
  // was removed, the next branch is another one.
  void add_profile(const Feedback::BranchCounts& counts) {
    if ((counts.taken == 0) == (counts.not_taken == 0)) return;
    const auto counted = find(counts.at);
    const auto here = position_of(counts.at);
    if (!counted || !here) return;
    const Branch* const before = branch_at(*counted->version, skip_guards(*counted));
    const Position at = skip_guards({&task_.version, *here});
    const Branch* const branch = branch_at(task_.version, at);
    if (before != nullptr && branch != nullptr && before->condition == branch->condition)
      add_branch(at, branch->condition, counts.taken != 0);
  }

  struct Found {
    const Version* version = nullptr;
    Position at = 0;
  };

  // The first position from there on whose instruction is no assume, anchor or hint.
  static Position skip_guards(Found from) {
    const auto speculates = [](const Stmt& s) {
      return std::holds_alternative<Assume>(s.instr) || std::holds_alternative<Anchor>(s.instr) ||
             std::holds_alternative<GuardHint>(s.instr);
    };
    while (from.at < from.version->body.size() && speculates(from.version->body[from.at]))
      ++from.at;
    return from.at;
  }
  static const Branch* branch_at(const Version& version, Position at) {
    return at < version.body.size() ? std::get_if<Branch>(&version.body[at].instr) : nullptr;
  }

  // Of a place in a version of this function.
  std::optional<Found> find(const Place& place) const {
    if (place.function != task_.function.name) return std::nullopt;
    const Version* const version = find_version(task_.function, place.version);
    if (version == nullptr) return std::nullopt;
    Position at = place.offset;
    if (place.label) {
      const auto labels = label_positions(*version);
      const auto found = labels.find(*place.label);
      if (found == labels.end()) return std::nullopt;
      at += found->second;
    }
    if (at >= version->body.size()) return std::nullopt;
    return Found{version, at};
  }

  // The position in this version, also of a place in a version that this one is a copy of.
  std::optional<Position> position_of(const Place& place) {
    const auto source = find(place);
    if (!source || source->version == &task_.version)
      return source ? std::optional(source->at) : std::nullopt;
    const auto& here = copies_of(*source->version);
    const auto found = here.find(source->at);
    return found == here.end() ? std::nullopt : std::optional(found->second);
  }

  // By position of the version: the last corresponding position of this one.
  const std::map<Position, Position>& copies_of(const Version& version) {
    const auto [found, fresh] = copies_.try_emplace(version.name);
    if (fresh) {
      const auto places = corresponding_positions(task_.version, version);
      for (Position at = 0; at < task_.version.body.size(); ++at)
        if (places[at]) found->second.insert_or_assign(*places[at], at);
    }
    return found->second;
  }

  VersionTask& task_;
  std::vector<Speculation> wanted_;
  std::map<VerName, std::map<Position, Position>> copies_;
};

} // namespace

std::vector<Speculation> wanted_speculations(VersionTask& task) { return Collector(task).all(); }

std::vector<Expr> predicates_for(const Expr& condition, bool outcome) {
  using Predicates = std::vector<Expr>;
  return match(
      condition,
      [&](const SimpleExpr& se) {
        return std::holds_alternative<Var>(se) ? Predicates{is_truth(se, outcome)} : Predicates{};
      },
      [&](const Unary& u) {
        return u.op == UnaryOp::Not && std::holds_alternative<Var>(u.operand)
                   ? Predicates{is_truth(u.operand, !outcome)}
                   : Predicates{};
      },
      [&](const Binary& b) { return binary_predicates(b, outcome); },
      [&](const Index& i) { return outcome ? Predicates{i} : Predicates{}; },
      [](const Length&) { return Predicates{}; },
      [&](const KindTest& t) {
        if (outcome) return Predicates{t};
        return t.kind == Kind::Nil ? Predicates{Binary{BinaryOp::Ne, t.operand, Nil{}}}
                                   : Predicates{};
      },
      [](const ElementsTest&) { return Predicates{}; });
}

} // namespace sourir
