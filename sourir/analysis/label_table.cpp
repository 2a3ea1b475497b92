#include "sourir/analysis/label_table.h"

#include <bit>

namespace sourir {

LabelTable::LabelTable(const Version& version) {
  std::vector<Slot> listed;
  if (version.cont) listed.push_back({version.cont->entry.id, 0});
  std::uint32_t position = 0;
  const auto list = [&](const Marks& marks) {
    for (const Label label : marks.labels) listed.push_back({label.id, position});
    ++position;
  };
  for (const Stmt& stmt : version.body) list(stmt.marks);
  list(version.end);
  slots_.resize(std::bit_ceil(2 * listed.size() + 1));
  mask_ = slots_.size() - 1;
  for (const Slot& entry : listed) {
    std::size_t slot = entry.label & mask_;
    while (slots_[slot].label != kFree && slots_[slot].label != entry.label)
      slot = (slot + 1) & mask_;
    if (slots_[slot].label == kFree) slots_[slot] = entry;
  }
}

} // namespace sourir
