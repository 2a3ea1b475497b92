#include "sourir/analysis/label_table.h"

#include <bit>

namespace sourir {

LabelTable::LabelTable(std::span<const LabelPosition> listed)
    : slots_(std::bit_ceil(2 * listed.size() + 1)), mask_(slots_.size() - 1) {
  for (const auto& [label, position] : listed) {
    std::size_t slot = label.id & mask_;
    while (slots_[slot].label != kFree && slots_[slot].label != label.id) slot = (slot + 1) & mask_;
    if (slots_[slot].label == kFree) slots_[slot] = {label.id, position};
  }
}

} // namespace sourir
