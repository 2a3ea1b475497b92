// The panes of the stepper's screen: their contents, and the layout of the screen for any size of
// terminal. Positions and sizes are in rows and columns.
#pragma once

#include "sourir/stepper/step_session.h"

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
  Area message;                   // one row: prompt or message
  Area keys;                      // one row; empty on a low screen

  const Area& pane(Pane p) const { return panes[static_cast<std::size_t>(p)]; }
  Area& pane(Pane p) { return panes[static_cast<std::size_t>(p)]; }
};

// Rows that the rule pane takes in front of a deoptimization, its heading included.
struct DeoptRows {
  int needed = 0; // for the assume or anchor and all frames; 0: no deoptimization is next
  int all = 0;
};

// All areas lie inside the screen and none overlaps another. The pane with the focus is shown if
// there is room for any; with `zoom` it is shown alone. In front of a deoptimization the rule pane
// has the whole width, and the rows needed as far as the source keeps its least.
Layout lay_out(int rows, int columns, Pane focus, bool zoom, DeoptRows deopt = {});

DeoptRows deopt_rows(const StepSession& session, int columns);

enum class Style : std::uint8_t {
  Plain,
  Title,
  Heading,
  Focus,      // the heading of the pane that the arrow keys scroll
  Here,       // the line of the next step
  Deopt,      // the same, if that step replaces the frame
  Cursor,     // the line that the arrow keys select
  Breakpoint, // a line with one
  Message,
  Error,
  Keys,
};

struct PaneLine {
  std::string text; // visible
  Style style = Style::Plain;
};

struct PaneText {
  std::string heading;
  std::size_t total = 0; // lines of the whole pane
  std::vector<PaneLine> lines;
};

// The part of a pane that is shown.
struct PaneWindow {
  std::size_t first = 0; // line
  std::size_t rows = 0;
  std::size_t columns = 0;
  std::size_t left = 0;     // column
  std::uint32_t cursor = 0; // line of the source, from 1; 0: none
};

// Lines from `first` on, at most `rows`, none wider than `columns`.
PaneText view_pane(const StepSession& session, Pane pane, const PaneWindow& window);

} // namespace sourir
