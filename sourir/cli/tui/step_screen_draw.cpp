// How the screen looks.
#include "sourir/cli/tui/step_screen.h"
#include "sourir/stepper/step_columns.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

namespace {

void put(Canvas& canvas, const Area& area, int row, std::string_view text, Style style) {
  if (area.empty() || row >= area.rows) return;
  canvas.pieces.push_back(
      {area.y + row, area.x, cut(text, 0, static_cast<std::size_t>(area.columns)), style});
}

std::string padded(std::string text, int width, const char* with) {
  for (auto n = static_cast<int>(columns(text)); n < width; ++n) text += with;
  return text;
}

void draw_separator(Canvas& canvas, const Layout& layout) {
  const auto heading = [&](int row, bool left) {
    return std::ranges::any_of(layout.panes, [&](const Area& pane) {
      return !pane.empty() && pane.y == row && (pane.x == 0) == left;
    });
  };
  for (int row = 0; row < layout.separator.rows; ++row) {
    const bool left = heading(layout.separator.y + row, true);
    const bool right = heading(layout.separator.y + row, false);
    put(canvas, layout.separator, row,
        left    ? right ? "┼" : "┤"
        : right ? "├"
                : "│",
        Style::Heading);
  }
}

} // namespace

std::string Screen::title() const {
  const HereView here = view_here(session_.viewed());
  const std::string name = session_.program().source().name();
  std::string text = fmt::format(" step {}  ", here.step);
  text += here.at ? fmt::format("{}  line {}", here.at->place, here.at->line) : "stopped";
  text += here.end.empty() ? "  " + here.rule + " fires next" : "  " + here.end;
  return visible(fmt::format("{}   {}", text, name));
}

void Screen::draw_pane(Canvas& canvas, Pane pane, const Area& area) {
  if (area.empty()) return;
  Scroll& s = scrolls_[static_cast<std::size_t>(pane)];
  s.rows = static_cast<std::size_t>(area.rows - 1);
  s.columns = static_cast<std::size_t>(area.columns);
  PaneText text;
  if (pane == Pane::Source) {
    const std::size_t at = cursor_ - 1;
    if (centre_ ? at < s.first + 1 || at + 2 > s.first + s.rows : at < s.first)
      s.first = centre_ ? at - std::min(at, s.rows / 2) : at;
    else if (s.rows > 0 && at >= s.first + s.rows)
      s.first = at + 1 - s.rows;
    centre_ = false;
  } else {
    s.total = view_pane(session_, pane, {0, 0, s.columns, 0, 0}).total;
    s.first = std::min(s.first, s.total - std::min(s.total, std::max<std::size_t>(s.rows, 1)));
  }
  text = view_pane(session_, pane, {s.first, s.rows, s.columns, s.left, cursor_});
  s.total = text.total;
  const bool more = s.first + s.rows < s.total;
  const std::string heading =
      fmt::format("─ {}{} ", text.heading, more ? fmt::format(" (more below)") : "");
  put(canvas, area, 0, padded(heading, area.columns, "─"),
      pane == focus_ ? Style::Focus : Style::Heading);
  for (std::size_t i = 0; i < text.lines.size(); ++i)
    put(canvas, area, static_cast<int>(i + 1), text.lines[i].text, text.lines[i].style);
}

void Screen::draw_popup(Canvas& canvas, const Area& area) {
  if (area.empty()) return;
  std::vector<std::string> lines;
  for (const std::string& line : popup_)
    for (std::string& part : wrap(line, static_cast<std::size_t>(area.columns)))
      lines.push_back(std::move(part));
  const auto room = static_cast<std::size_t>(area.rows - 1);
  popup_first_ =
      std::min(popup_first_, lines.size() - std::min(lines.size(), std::max<std::size_t>(room, 1)));
  const bool more = popup_first_ + room < lines.size();
  put(canvas, area, 0,
      padded(more ? "─ answer (more below: Down, PgDn; any other key closes) "
                  : "─ answer (any key closes) ",
             area.columns, "─"),
      Style::Focus);
  for (std::size_t i = 0; i < room && popup_first_ + i < lines.size(); ++i)
    put(canvas, area, static_cast<int>(i + 1), lines[popup_first_ + i], Style::Plain);
}

void Screen::draw_bottom(Canvas& canvas, const Layout& layout) const {
  put(canvas, layout.keys, 0,
      " ? help  q quit  s/b step/back  d/D deopt  c/r continue  n/N next  f/F finish  B break  "
      ": command  Tab pane  z zoom",
      Style::Keys);
  const Area& area = layout.message;
  if (!prompt_.is_open()) {
    put(canvas, area, 0, message_, error_ ? Style::Error : Style::Message);
    return;
  }
  const auto width = static_cast<std::size_t>(area.columns);
  const std::string line = ":" + visible(prompt_.text());
  const std::size_t at = columns(":" + visible(prompt_.text().substr(0, prompt_.cursor())));
  const std::size_t from = at + 1 > width ? at + 1 - width : 0;
  put(canvas, area, 0, cut(line, from, width), Style::Message);
  canvas.cursor_y = area.y;
  canvas.cursor_x = area.x + static_cast<int>(at - from);
  if (!message_.empty() && !layout.keys.empty()) {
    canvas.pieces.pop_back(); // the candidates stand above the line, so the line goes below
    put(canvas, area, 0, message_, Style::Message);
    std::erase_if(canvas.pieces, [](const Piece& piece) { return piece.style == Style::Keys; });
    put(canvas, layout.keys, 0, cut(line, from, width), Style::Message);
    canvas.cursor_y = layout.keys.y;
  }
}

Canvas Screen::draw(int rows, int columns) {
  Canvas canvas{rows, columns, {}};
  const Layout layout = lay_out(rows, columns, focus_, zoom_ || !popup_.empty());
  put(canvas, layout.title, 0, padded(title(), columns, " "), Style::Title);
  if (!popup_.empty()) {
    draw_popup(canvas, layout.pane(focus_));
  } else {
    for (std::size_t pane = 0; pane < kPanes; ++pane)
      draw_pane(canvas, static_cast<Pane>(pane), layout.panes[pane]);
    if (!zoom_) draw_separator(canvas, layout);
  }
  if (!layout.message.empty()) draw_bottom(canvas, layout);
  return canvas;
}

} // namespace sourir
