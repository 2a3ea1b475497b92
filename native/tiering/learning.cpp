// What a job of the compiler is told of what was seen, and what exits teach: the kinds of values
// with which the baseline goes on, and what it sees then.
#include "native/engine/machine.h"
#include "native/tiering/tiering.h"
#include "sourir/semantics/exits.h"

#include <algorithm>

namespace sourir::native {

// What the baseline saw in a version that was added is known from now on where that was made from.
void Tiering::write_back(const ResolvedVersion& code) {
  const AddedVersion* const added = owner(code);
  if (added == nullptr || &added->code() != &code) return;
  const std::span<const SiteFeedback> seen = machine_.sites(code);
  for (Pc pc = 0; pc < added->origins.size() && pc < seen.size(); ++pc) {
    const auto& from = added->origins[pc];
    if (from && !seen[pc].result.empty()) machine_.site(*from->first, from->second).add(seen[pc]);
  }
}

void Tiering::entered(const ResolvedVersion& code, Pc pc, const Value* slots) {
  if (machine_.settings().engine != NativeSettings::Engine::Auto || machine_.forces_exits()) return;
  if (pc == 0) {
    const std::lock_guard lock(mutex_);
    const auto at = functions_.find(&machine_.cell(code.function));
    if (at == functions_.end()) return;
    auto& kinds = at->second.parameters;
    for (Slot p = 0; p < code.parameters && p < kinds.size(); ++p)
      kinds[p] |= type_set(slots[p].tag());
  } else if (const std::optional<Slot> x = bound_by(code.instrs[pc - 1])) {
    SiteFeedback& site = machine_.site(code, pc - 1);
    if (!slots[*x].is(Tag::Unbound)) site.result |= type_set(slots[*x].tag());
  }
}

// What is worth a guard in code that is inlined: the targets of its calls. Kinds are looked at in
// place.
void Tiering::add_targets(Job& job, const ResolvedVersion& active) const {
  ObservedOptions targets = machine_.settings().speculation;
  targets.kinds = targets.branches = false;
  for (const Function& f : machine_.program().source().functions) {
    const FunctionCell& cell = machine_.cell(f.name);
    const ResolvedVersion* code = cell.fun->dispatch.front();
    const auto at = job.sites.find(code);
    if (code == &active || at == job.sites.end() || !one_version(cell)) continue;
    const Feedback seen = observed(*code, at->second, {}, targets);
    job.feedback.seen.insert(job.feedback.seen.end(), seen.seen.begin(), seen.seen.end());
  }
}

void Tiering::snapshot(Job& job, const ResolvedVersion& code, int levels) const {
  const auto [kept, fresh] = job.sites.try_emplace(&code, seen_in(code));
  if (!fresh || levels == 0) return;
  const std::vector<SiteFeedback> seen = kept->second;
  for (Pc pc = 0; pc < code.instrs.size(); ++pc) {
    const auto* const call = std::get_if<resolved::Call>(&code.instrs[pc]);
    if (call == nullptr) continue;
    std::optional<FunName> callee;
    if (call->callee.a.slot == resolved::kLiteral && call->callee.a.literal.is(Tag::Fun))
      callee = call->callee.a.literal.as_fun();
    else if (pc < seen.size() && seen[pc].targets == 1)
      callee = seen[pc].callees[0];
    if (!callee) continue;
    if (const auto* const fun = machine_.cell(*callee).fun)
      snapshot(job, *fun->dispatch.front(), levels - 1);
  }
}

// In an added version: what was seen where it comes from, and since then in itself.
std::vector<SiteFeedback> Tiering::seen_in(const ResolvedVersion& code) const {
  const auto own = machine_.sites(code);
  const auto added = added_sites_.find(&code);
  // What has never run has never been reached.
  if (added == added_sites_.end() && own.empty())
    return std::vector<SiteFeedback>(code.instrs.size());
  if (added == added_sites_.end()) return {own.begin(), own.end()};
  std::vector<SiteFeedback> seen(added->second.begin(), added->second.end());
  for (std::size_t pc = 0; pc < seen.size() && pc < own.size(); ++pc) seen[pc].add(own[pc]);
  return seen;
}

} // namespace sourir::native
