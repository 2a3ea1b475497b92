#include "sourir/cli/tui/step_layout.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace sourir {

namespace {

constexpr int kLeastRows = 3;    // of a pane: its heading and two lines
constexpr int kTwoColumns = 64;  // from this width on
constexpr int kRowsForKeys = 10; // from this height on

struct Share {
  Pane pane;
  int weight;
  int importance; // the least important is left out first
};

// The panes of a column, from top to bottom; those that do not fit are left out.
void fill(Layout& layout, Area column, std::vector<Share> shares, Pane focus) {
  const auto fits = static_cast<std::size_t>(std::max(1, column.rows / kLeastRows));
  while (shares.size() > fits)
    shares.erase(std::ranges::min_element(
        shares, {}, [&](const Share& s) { return s.pane == focus ? 1000 : s.importance; }));
  int weights = std::accumulate(shares.begin(), shares.end(), 0,
                                [](int sum, const Share& s) { return sum + s.weight; });
  int spare = column.rows - kLeastRows * static_cast<int>(shares.size());
  if (spare < 0) { // a single pane without room for two lines
    layout.pane(shares.front().pane) = column;
    return;
  }
  int y = column.y;
  for (const Share& s : shares) {
    const int extra = spare * s.weight / weights;
    layout.pane(s.pane) = {y, column.x, kLeastRows + extra, column.columns};
    y += kLeastRows + extra;
    spare -= extra;
    weights -= s.weight;
  }
}

} // namespace

Layout lay_out(int rows, int columns, Pane focus, bool zoom) {
  Layout layout;
  if (rows < 1 || columns < 1) return layout;
  const int title = rows >= 3 ? 1 : 0, keys = rows >= kRowsForKeys ? 1 : 0;
  layout.title = {0, 0, title, columns};
  layout.message = {rows - 1 - keys, 0, 1, columns};
  layout.keys = {rows - 1, 0, keys, columns};
  const Area body{title, 0, rows - title - 1 - keys, columns};
  if (body.empty()) return layout;
  if (zoom) {
    layout.pane(focus) = body;
  } else if (columns < kTwoColumns) {
    fill(layout, body,
         {{Pane::Source, 4, 6},
          {Pane::NextRule, 3, 5},
          {Pane::Environment, 2, 4},
          {Pane::Stack, 1, 2},
          {Pane::Heap, 1, 1},
          {Pane::Output, 1, 3}},
         focus);
  } else {
    const int left = columns * 11 / 20;
    layout.separator = {body.y, left, body.rows, 1};
    fill(layout, {body.y, 0, body.rows, left}, {{Pane::Source, 3, 2}, {Pane::NextRule, 2, 1}},
         focus);
    fill(layout, {body.y, left + 1, body.rows, columns - left - 1},
         {{Pane::Environment, 4, 4}, {Pane::Stack, 2, 2}, {Pane::Heap, 2, 1}, {Pane::Output, 3, 3}},
         focus);
  }
  return layout;
}

} // namespace sourir
