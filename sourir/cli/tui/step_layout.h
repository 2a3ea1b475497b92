// Where the parts of the screen stand, for any size of terminal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace sourir {

struct Area {
  int y = 0, x = 0, rows = 0, columns = 0;
  bool empty() const { return rows <= 0 || columns <= 0; }
  friend bool operator==(Area, Area) = default;
};

enum class Pane : std::uint8_t { Source, NextRule, Environment, Stack, Heap, Output };
inline constexpr std::size_t kPanes = 6;

struct Layout {
  Area title;                     // one row
  std::array<Area, kPanes> panes; // their first row is a heading; empty: not shown
  Area separator;                 // between two columns of panes; may be empty
  Area message;                   // one row: prompt, message; where there are no keys, they too
  Area keys;                      // one row; empty where there is too little room

  const Area& pane(Pane p) const { return panes[static_cast<std::size_t>(p)]; }
  Area& pane(Pane p) { return panes[static_cast<std::size_t>(p)]; }
};

// All areas lie inside the screen and none overlaps another. The pane with the focus is shown if
// there is room for any; with `zoom` it is shown alone.
Layout lay_out(int rows, int columns, Pane focus, bool zoom);

} // namespace sourir
