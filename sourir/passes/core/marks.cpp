#include "sourir/passes/core/marks.h"

namespace sourir {

Marks keep_labels(const Marks& marks, const std::function<bool(Label)>& keep) {
  Marks result{{}, marks.scopes, {}};
  std::vector<std::uint32_t> slot; // in the result, of what stands at each label or behind all
  for (const Label label : marks.labels) {
    slot.push_back(static_cast<std::uint32_t>(result.labels.size()));
    if (keep(label)) result.labels.push_back(label);
  }
  slot.push_back(static_cast<std::uint32_t>(result.labels.size()));
  for (Comment c : marks.comments) {
    const bool stays = c.slot >= marks.labels.size() || slot[c.slot + 1] > slot[c.slot];
    if (!stays && c.text.empty()) continue;
    c.own_line |= !stays;
    c.slot = slot[c.slot];
    result.comments.push_back(std::move(c));
  }
  return result;
}

} // namespace sourir
