#include "native/tiering/job_feedback.h"

#include "sourir/analysis/liveness.h"

namespace sourir::native {

std::vector<SiteFeedback> JobFeedback::merged(const ResolvedVersion& version) const {
  const OptimizedVersion* const owner = cache_.version_of(version);
  const bool optimized = owner != nullptr && &owner->code() == &version;
  return store_.merged(version, optimized ? std::span<const SiteFeedback>(owner->sites)
                                          : std::span<const SiteFeedback>());
}

void JobFeedback::add(FeedbackSnapshot& snapshot, const ResolvedVersion& version,
                      int levels) const {
  const auto [kept, fresh] = snapshot.sites.try_emplace(&version);
  if (!fresh) return;
  kept->second = merged(version);
  if (levels == 0) return;
  const std::vector<SiteFeedback> sites = kept->second;
  for (Pc pc = 0; pc < version.instrs.size(); ++pc) {
    const auto* const call = std::get_if<resolved::Call>(&version.instrs[pc]);
    if (call == nullptr) continue;
    std::optional<FunName> callee;
    if (call->callee.a.slot == resolved::kLiteral && call->callee.a.literal.is(Tag::Fun))
      callee = call->callee.a.literal.as_fun();
    else if (pc < sites.size() && sites[pc].targets == 1)
      callee = sites[pc].callees[0];
    if (!callee) continue;
    if (const auto* const fun = program_.function(*callee))
      add(snapshot, *fun->dispatch.front(), levels - 1);
  }
}

Feedback JobFeedback::predicates(const ResolvedVersion& version,
                                 const FeedbackSnapshot& snapshot) const {
  Feedback all = feedback_predicates(version, snapshot.of(version), snapshot.parameters, options_);
  SpeculationOptions targets = options_;
  targets.kinds = targets.branches = false;
  for (const Function& f : program_.source().functions) {
    const auto& dispatch = program_.function(f.name)->dispatch;
    const ResolvedVersion* const code = dispatch.front();
    if (code == &version || dispatch.size() != 1 || !snapshot.sites.contains(code)) continue;
    const Feedback of_callee = feedback_predicates(*code, snapshot.of(*code), {}, targets);
    all.seen.insert(all.seen.end(), of_callee.seen.begin(), of_callee.seen.end());
  }
  return all;
}

std::vector<Tag> live_types(const ResolvedVersion& version, Pc pc, const Value* slots) {
  const Cfg cfg(*version.source, {});
  if (pc >= version.source->body.size() || !cfg.reachable(Position{pc})) return {};
  std::vector<Tag> types(version.slots.size(), Tag::Unbound);
  for (const Var x : Liveness(*version.source, cfg).before(pc)) {
    const Slot slot = *version.slot_of(x);
    types[slot] = slots[slot].tag();
  }
  return types;
}

} // namespace sourir::native
