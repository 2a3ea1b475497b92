// What exits teach: the kinds of values with which the baseline goes on, and what it sees then.
#include "native/runtime/machine.h"
#include "native/runtime/tiering.h"

#include <algorithm>

namespace sourir::native {

namespace {

// The slot that it binds to a value that was computed.
std::optional<Slot> bound_by(const code::Instr& i) {
  if (const auto* const decl = std::get_if<code::Decl>(&i)) return decl->x;
  if (const auto* const assign = std::get_if<code::Assign>(&i)) return assign->x;
  if (const auto* const read = std::get_if<code::Read>(&i)) return read->x;
  if (const auto* const call = std::get_if<code::Call>(&i)) return call->x;
  return {};
}

} // namespace

// What the baseline saw in a version that was added is known from now on where that was made from.
void Tiering::write_back(const InstrStream& code) {
  const auto at = std::ranges::find_if(added_, [&](const auto& a) { return &a->code() == &code; });
  if (at == added_.end()) return;
  const std::span<const SiteFeedback> seen = machine_.sites(code);
  for (Pc pc = 0; pc < (*at)->origins.size() && pc < seen.size(); ++pc) {
    const auto& from = (*at)->origins[pc];
    if (from && seen[pc].result != 0) machine_.site(*from->first, from->second).add(seen[pc]);
  }
}

void Tiering::entered(const InstrStream& code, Pc pc, const Value* slots) {
  if (machine_.settings().engine != NativeSettings::Engine::Auto || machine_.forces_exits()) return;
  if (pc == 0) {
    const std::lock_guard lock(mutex_);
    const auto at = functions_.find(&machine_.cell(code.function));
    if (at == functions_.end()) return;
    auto& kinds = at->second.parameters;
    for (Slot p = 0; p < code.parameters && p < kinds.size(); ++p)
      kinds[p] = static_cast<TagSet>(kinds[p] | tag_set(slots[p].tag()));
  } else if (const std::optional<Slot> x = bound_by(code.instrs[pc - 1])) {
    SiteFeedback& site = machine_.site(code, pc - 1);
    if (!slots[*x].is(Tag::Unbound))
      site.result = static_cast<TagSet>(site.result | tag_set(slots[*x].tag()));
  }
}

} // namespace sourir::native
