// W, the watches of a configuration (lazy deoptimization, dissertation 2.7 and 6.1): which elements
// the frames on the stack count on without testing them again, and which of these elements have
// changed since. Part of the configuration; watch_plan.h says which guards are watched.
#pragma once

#include "sourir/semantics/value.h"

#include <cstddef>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace sourir {

// M(a)[index]
struct ElementCell {
  Address array;
  std::uint64_t index = 0; // below 2^32, as lengths are
  friend bool operator==(const ElementCell&, const ElementCell&) = default;
};

// The guard that held in this frame when the step `set` was made. It stands until a later step
// changes the element: then it has fallen, whatever the element becomes after that.
struct Watch {
  std::size_t frame = 0;   // the number of frames below
  std::uint32_t pc = 0;    // of the assume
  std::uint32_t guard = 0; // its index there
  ElementCell cell;
  std::uint64_t set = 0;
  friend bool operator==(const Watch&, const Watch&) = default;
};

// The watches of all frames, and the last change of each element that was ever watched: so a store
// costs the same however many frames watch the element. Frames come and go at the top of the stack,
// and so do their watches.
class Watches {
public:
  bool empty() const { return watches_.empty(); }
  // Those of the top frame, which has `frame` frames below it.
  std::span<const Watch> of_top(std::size_t frame) const;
  // The one for a guard of the top frame; null: there is none.
  const Watch* find(std::size_t frame, std::uint32_t pc, std::uint32_t guard) const;
  bool has_fallen(const Watch& watch) const { return last_change(watch.cell) > watch.set; }

  // Sets a watch of the top frame, in place of one for the same guard. Returns whether the element
  // was not watched before.
  bool set(const Watch& watch);
  // The last change of an element that is or was watched becomes `step`; returns the one before.
  // Empty, and nothing changes: it was never watched.
  std::optional<std::uint64_t> change(const ElementCell& cell, std::uint64_t step);
  // Removes those of the top frame.
  std::vector<Watch> take_top(std::size_t frame);

  // Inverses of take_top and set.
  void put_back(const std::vector<Watch>& top);
  void forget(const ElementCell& cell) { last_changes_.erase(key(cell)); }

  friend bool operator==(const Watches&, const Watches&) = default;

private:
  static std::uint64_t key(const ElementCell& cell) {
    return std::uint64_t{cell.array.index} << 32 | cell.index;
  }
  std::uint64_t last_change(const ElementCell& cell) const;

  std::vector<Watch> watches_;                                    // the innermost frame's last
  std::unordered_map<std::uint64_t, std::uint64_t> last_changes_; // by key(); 0: none
};

} // namespace sourir
