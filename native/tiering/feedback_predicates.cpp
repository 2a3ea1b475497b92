#include "native/tiering/feedback_predicates.h"

#include "sourir/analysis/loops.h"
#include "sourir/syntax/match.h"

namespace sourir::native {

namespace {

// Operators are total on what they are applied to without errors, and tell the kind themselves.
bool tells_its_kind(const Expr& e) {
  return match(
      e, [](const SimpleExpr&) { return true; }, [](const Unary&) { return false; },
      [](const Binary& b) { return b.op < BinaryOp::Add || b.op > BinaryOp::Mod; },
      [](const Index&) { return false; }, [](const Length&) { return true; },
      [](const KindTest&) { return true; });
}

class Observer {
public:
  Observer(const ResolvedVersion& code, std::span<const SiteFeedback> sites,
           const SpeculationOptions& options)
      : code_(code), sites_(sites), options_(options) {}

  Feedback run(std::span<const TypeSet> parameters) {
    if (options_.kinds)
      for (Slot x = 0; x < code_.parameters && x < parameters.size(); ++x)
        add_kind(0, code_.slots[x], parameters[x]);
    const auto& body = code_.source->body;
    for (Pc pc = 0; pc < body.size() && pc < sites_.size(); ++pc) look(pc, body[pc].instr);
    return std::move(feedback_);
  }

private:
  Place place(Pc pc) const { return {code_.function, code_.version, std::nullopt, pc}; }

  void add_kind(Pc pc, Var x, TypeSet tags) {
    if (const auto kind = tags.only()) feedback_.seen.push_back({place(pc), KindTest{x, *kind}});
  }

  void look(Pc pc, const Instruction& instr) {
    const SiteFeedback& site = sites_[pc];
    if (const auto* const decl = std::get_if<Decl>(&instr)) {
      if (decl->value) add_value(pc, decl->name, *decl->value);
    } else if (const auto* const assign = std::get_if<Assign>(&instr)) {
      add_value(pc, assign->name, assign->value);
    } else if (const auto* const read = std::get_if<Read>(&instr)) {
      if (options_.kinds) add_kind(pc + 1, read->name, site.result);
    } else if (const auto* const call = std::get_if<Call>(&instr)) {
      if (options_.kinds) add_kind(pc + 1, call->result, site.result);
      if (options_.targets && site.targets == 1) add_target(pc, call->callee, site.callees[0]);
    } else if (std::holds_alternative<Branch>(instr)) {
      if (options_.branches) add_branch(pc, site);
    }
  }

  void add_value(Pc pc, Var x, const Expr& e) {
    if (options_.kinds && !tells_its_kind(e)) add_kind(pc + 1, x, sites_[pc].result);
  }

  void add_target(Pc pc, const Expr& callee, FunName target) {
    const auto* const se = std::get_if<SimpleExpr>(&callee);
    if (se != nullptr && std::holds_alternative<Var>(*se))
      feedback_.seen.push_back({place(pc), Binary{BinaryOp::Eq, *se, target}});
  }

  void add_branch(Pc pc, const SiteFeedback& site) {
    if ((site.taken == 0) == (site.not_taken == 0)) return;
    if (site.taken + site.not_taken < options_.sure_branch) return;
    if (!loops_) {
      cfg_.emplace(*code_.source, std::span<const Label>());
      dominators_.emplace(Dominators::of(*cfg_));
      loops_.emplace(*cfg_, *dominators_);
    }
    const BlockId block = cfg_->block_of(pc);
    const BlockPair& successors = (*cfg_)[block].successors;
    if (!cfg_->reachable(block) || successors.size() != 2) return;
    const BlockId unseen = successors[site.taken == 0 ? 0 : 1];
    for (auto loop = loops_->innermost(block); loop; loop = loops_->loops()[*loop].parent)
      if (!loops_->contains(*loop, unseen)) return;
    feedback_.branches.push_back({place(pc), site.taken, site.not_taken});
  }

  const ResolvedVersion& code_;
  std::span<const SiteFeedback> sites_;
  const SpeculationOptions& options_;
  std::optional<Cfg> cfg_; // made for the first branch
  std::optional<Dominators> dominators_;
  std::optional<Loops> loops_;
  Feedback feedback_;
};

} // namespace

Feedback feedback_predicates(const ResolvedVersion& code, std::span<const SiteFeedback> sites,
                             std::span<const TypeSet> parameters,
                             const SpeculationOptions& options) {
  return Observer(code, sites, options).run(parameters);
}

} // namespace sourir::native
