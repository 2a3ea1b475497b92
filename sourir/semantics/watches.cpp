#include "sourir/semantics/watches.h"

#include <algorithm>
#include <utility>

namespace sourir {

std::span<const Watch> Watches::of_top(std::size_t frame) const {
  auto first = watches_.end();
  while (first != watches_.begin() && std::prev(first)->frame == frame) --first;
  return {first, watches_.end()};
}

const Watch* Watches::find(std::size_t frame, std::uint32_t pc, std::uint32_t guard) const {
  for (const Watch& watch : of_top(frame))
    if (watch.pc == pc && watch.guard == guard) return &watch;
  return nullptr;
}

std::uint64_t Watches::last_change(const ElementCell& cell) const {
  const auto found = last_changes_.find(key(cell));
  return found == last_changes_.end() ? 0 : found->second;
}

bool Watches::set(const Watch& watch) {
  if (const Watch* const before = find(watch.frame, watch.pc, watch.guard))
    watches_[static_cast<std::size_t>(before - watches_.data())] = watch;
  else
    watches_.push_back(watch);
  return last_changes_.try_emplace(key(watch.cell), 0).second;
}

std::optional<std::uint64_t> Watches::change(const ElementCell& cell, std::uint64_t step) {
  const auto found = last_changes_.find(key(cell));
  if (found == last_changes_.end()) return {};
  return std::exchange(found->second, step);
}

std::vector<Watch> Watches::take_top(std::size_t frame) {
  const auto top = of_top(frame);
  std::vector<Watch> taken(top.begin(), top.end());
  watches_.resize(watches_.size() - taken.size());
  return taken;
}

void Watches::put_back(const std::vector<Watch>& top) {
  watches_.insert(watches_.end(), top.begin(), top.end());
}

} // namespace sourir
