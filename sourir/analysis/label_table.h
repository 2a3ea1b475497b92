// The positions of a version's labels: a hash table without chains. Labels get their ids in the
// order of the text, so neighbours in the text are neighbours in the table.
#pragma once

#include "sourir/syntax/ast.h"

#include <cstdint>
#include <span>
#include <vector>

namespace sourir {

struct LabelPosition {
  Label label;
  std::uint32_t position = 0;
};

class LabelTable {
public:
  explicit LabelTable(std::span<const LabelPosition> listed); // of one label the first counts

  std::uint32_t at(Label label) const { // one of the version's
    std::size_t slot = label.id & mask_;
    while (slots_[slot].label != label.id) slot = (slot + 1) & mask_;
    return slots_[slot].position;
  }

private:
  static constexpr std::uint32_t kFree = ~std::uint32_t{0};
  struct Slot {
    std::uint32_t label = kFree, position = 0;
  };
  std::vector<Slot> slots_; // a power of two, at least half of them free
  std::size_t mask_ = 0;
};

} // namespace sourir
