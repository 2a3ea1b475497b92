// What stands in the panes of the screen.
#pragma once

#include "sourir/cli/tui/step_layout.h"
#include "sourir/stepper/step_session.h"

namespace sourir {

enum class Style : std::uint8_t {
  Plain,
  Title,
  Heading,
  Focus,      // the heading of the pane that the arrow keys scroll
  Here,       // the line that is done next
  Deopt,      // the same where it replaces the frame
  Cursor,     // the line that the arrow keys chose
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

// What part of a pane is to be shown.
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
