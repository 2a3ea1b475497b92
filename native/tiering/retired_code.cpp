// When code is given up, and freed since nobody is inside any more.
#include "native/engine/machine.h"
#include "sourir/analysis/mutant.h"

#include <algorithm>

namespace sourir::native {

bool Tiering::count_exit(Unit& unit) {
  const NativeSettings& settings = machine_.settings();
  if (unit.retired >= settings.most_retired) return false;
  std::uint64_t& most = machine_.statistics.most_exits;
  most = std::max(most, ++unit.exits);
  return ++unit.left >= settings.exits_until_retired && !mutant(110);
}

void Tiering::retire(MiddleUnit& unit) {
  const ResolvedVersion& code = *unit.entry.code->code;
  write_back(code);
  tell({.kind = TierEvent::Kind::Retired, .code = &code, .pc = unit.pc});
  const bool back = unit.goes_back();
  if (!back) {
    if (unit.retired < machine_.settings().most_forgotten) {
      const AddedVersion* const added = owner(code);
      machine_.look_anew(added != nullptr && added->cut_out ? *added->cut_out->from : code);
    }
    ++unit.retired;
    unit.rounds = 0;
    forget_before(unit);
  }
  unit.left = unit.taken = 0;
  const NativeCode& old = *unit.entry.code;
  disappointed(unit, old);
  retired_.push_back(&old);
  unit.install({});
  ++machine_.statistics.retired;
  adopt_finished(old);
  if (back) go_back(unit);
}

void Tiering::retire(FunctionCell& f, FunctionUnit& unit) {
  const bool back = unit.goes_back();
  const bool forget = !back && unit.retired < machine_.settings().most_forgotten;
  if (!back) {
    ++unit.retired;
    forget_before(unit);
  }
  unit.left = 0;
  f.entry.store(nullptr, std::memory_order_release);
  std::vector<const NativeCode*> old;
  for (const ResolvedVersion* code : unit.compiled) {
    write_back(*code);
    tell({.kind = TierEvent::Kind::Retired, .code = code});
    const auto at = by_version_.find(code);
    if (at == by_version_.end()) continue;
    disappointed(unit, *at->second);
    old.push_back(at->second);
    by_version_.erase(at);
  }
  retired_.insert(retired_.end(), old.begin(), old.end());
  if (forget) {
    machine_.look_anew(*f.fun->dispatch.front());
    std::ranges::fill(unit.parameters, TypeSet{});
  }
  unit.compiled.clear();
  ++machine_.statistics.retired;
  if (back) return go_back(f, unit);
  f.hot_at = f.calls + 1;
  for (const NativeCode* code : old) adopt_finished(*code);
}

// It is not entered again.
void Tiering::forget_before(Unit& unit) {
  retired_.insert(retired_.end(), unit.before.begin(), unit.before.end());
  unit.before.clear();
}

AddedVersion* Tiering::owner(const ResolvedVersion& code) const {
  const auto at = owners_.find(&code);
  return at == owners_.end() ? nullptr : at->second;
}

// From code that does not go with it.
bool Tiering::is_entered(const AddedVersion& added) const {
  const auto of_it = [&](const ResolvedVersion* stream) { return owner(*stream) == &added; };
  const auto is_before = [&](const Unit& unit) {
    return std::ranges::any_of(unit.before, [&](const auto* code) { return of_it(code->code); });
  };
  const auto middle = [&](const auto& m) {
    const auto& [place, unit] = m;
    const NativeCode* const code = unit.entry.code;
    return !of_it(place.first) && ((code != nullptr && of_it(code->code)) || is_before(unit));
  };
  const auto function = [&](const auto& f) {
    return std::ranges::any_of(f.second.compiled, of_it) || is_before(f.second);
  };
  return std::ranges::any_of(middles_, middle) || std::ranges::any_of(functions_, function);
}

// What came with a version goes with it, so nobody may be in any of that, or come there, either.
bool Tiering::in_use(const NativeCode& code, const CodeInUse& in_use) const {
  const AddedVersion* const added = owner(*code.code);
  if (added == nullptr) return in_use.native.contains(&code);
  const auto of_it = [&](const ResolvedVersion* stream) { return owner(*stream) == added; };
  if (std::ranges::any_of(in_use.streams, of_it) || is_entered(*added)) return true;
  if (std::ranges::any_of(in_use.native, [&](const NativeCode* c) { return of_it(c->code); }))
    return true;
  return std::ranges::any_of(
      middles_, [&](const auto& m) { return m.second.compiling && of_it(m.first.first); });
}

void Tiering::free_with(const NativeCode& code) {
  const AddedVersion* const added = owner(*code.code);
  const auto gone = [&](const ResolvedVersion& stream) {
    return added != nullptr && owner(stream) == added;
  };
  const auto goes = [&](const NativeCode* c) { return c == &code || gone(*c->code); };
  for (const auto& c : codes_) {
    if (!goes(c.get()) || c->sampled == nullptr) continue;
    machine_.sampling().gone(*c->sampled);
    sampled_.erase(c->sampled);
  }
  std::erase_if(retired_, goes);
  std::erase_if(by_address_, [&](const auto& entry) { return goes(entry.second); });
  std::erase_if(by_version_, [&](const auto& entry) { return goes(entry.second); });
  std::erase_if(middles_, [&](const auto& m) { return gone(*m.first.first); });
  machine_.statistics.freed +=
      std::erase_if(codes_, [&](const auto& owned) { return goes(owned.get()); });
  if (added == nullptr) return;
  added_sites_.erase(&added->code());
  for (const auto& stream : added->streams) {
    machine_.forget(*stream);
    owners_.erase(stream.get());
  }
  std::erase_if(added_, [&](const auto& owned) { return owned.get() == added; });
}

void Tiering::free_retired(const CodeInUse& used) {
  const std::lock_guard lock(mutex_);
  const std::size_t before = retired_.size();
  for (std::size_t i = retired_.size(); i-- > 0;)
    if (i < retired_.size() && !in_use(*retired_[i], used)) free_with(*retired_[i]);
  vain_looks_ = retired_.size() < before ? 0 : vain_looks_ + 1;
  constexpr std::uint64_t kMostDoublings = 10;
  next_look_ = jobs_ + (std::uint64_t{1} << std::min(vain_looks_, kMostDoublings));
}

} // namespace sourir::native
