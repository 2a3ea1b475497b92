#include "sourir/syntax/scope_set.h"

#include <algorithm>

namespace sourir {

std::uint64_t ScopeHash::mix(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15u;
  value = (value ^ value >> 30) * 0xBF58476D1CE4E5B9u;
  value = (value ^ value >> 27) * 0x94D049BB133111EBu;
  return value ^ value >> 31;
}

std::uint32_t ScopeSet::slot_for(Var name) {
  std::size_t at = place(name);
  if (table_[at] != 0) return table_[at];
  slots_.push_back({.name = name});
  if (2 * slots_.size() > table_.size()) {
    table_.assign(2 * table_.size(), 0);
    for (std::uint32_t slot = 1; slot + 1 < slots_.size(); ++slot)
      table_[place(slots_[slot].name)] = slot;
    at = place(name);
  }
  return table_[at] = static_cast<std::uint32_t>(slots_.size() - 1);
}

void ScopeSet::declare(Var name, Declaration declaration) {
  if (contains(name)) return;
  const std::uint32_t slot = slot_for(name);
  log_.push_back({slot, Slot()});
  link(slot, {slots_[0].previous, 0, declaration, name});
}

void ScopeSet::drop(Var name) {
  const std::uint32_t slot = find(name);
  if (slots_[slot].declaration == Declaration()) return;
  log_.push_back({slot, slots_[slot]});
  unlink(slot);
}

void ScopeSet::undo_to(Mark mark) {
  for (; log_.size() > mark; log_.pop_back()) {
    const Change& change = log_.back();
    if (change.before.declaration == Declaration())
      unlink(change.slot);
    else // its neighbours are again those that it had
      link(change.slot, change.before);
  }
}

std::vector<Var> ScopeSet::names(std::size_t at_most) const {
  std::vector<Var> result;
  result.reserve(std::min<std::size_t>(hash_.size, at_most));
  for (std::uint32_t slot = slots_[0].next; slot != 0 && result.size() < at_most;
       slot = slots_[slot].next)
    result.push_back(slots_[slot].name);
  return result;
}

void ScopeSet::link(std::uint32_t slot, const Slot& as) {
  slots_[slot] = as;
  slots_[as.previous].next = slot;
  slots_[as.next].previous = slot;
  count(slot, 1);
}

void ScopeSet::unlink(std::uint32_t slot) {
  count(slot, ~std::uint64_t{0}); // -1
  const Slot was = slots_[slot];
  slots_[was.previous].next = was.next;
  slots_[was.next].previous = was.previous;
  slots_[slot].declaration = Declaration();
}

void ScopeSet::count(std::uint32_t slot, std::uint64_t sign) {
  const Var name = slots_[slot].name;
  const Declaration declaration = slots_[slot].declaration;
  hash_.names += sign * ScopeHash::of(name);
  hash_.declarations += sign * ScopeHash::of(name, declaration);
  hash_.size += static_cast<std::uint32_t>(sign);
  if (declaration == Declaration::exit()) hash_.from_exits += static_cast<std::uint32_t>(sign);
}

} // namespace sourir
