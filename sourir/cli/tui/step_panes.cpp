#include "sourir/cli/tui/step_panes.h"

#include "sourir/stepper/step_columns.h"
#include "sourir/stepper/step_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace sourir {

namespace {

constexpr std::size_t kFrames = 200, kBlocks = 200, kOutputLines = 2000;

Style style_of(const StepSession& session, const SourceLine& line, std::uint32_t cursor) {
  if (line.here) return session.walker().at_deopt() ? Style::Deopt : Style::Here;
  if (line.number == cursor) return Style::Cursor;
  return line.breakpoint != 0 ? Style::Breakpoint : Style::Plain;
}

PaneText source(const StepSession& session, const PaneWindow& w) {
  const Source& text = session.program().source();
  PaneText pane{"source", text.lines(), {}};
  if (w.rows == 0) return pane;
  const auto last = static_cast<std::uint32_t>(w.rows - 1);
  for (const SourceLine& line :
       view_source(session.view_context(), static_cast<std::uint32_t>(w.first + 1), 0, last)
           .lines) {
    const std::string margin = fmt::format("{}{}{:>4} ", line.here ? "=>" : "  ",
                                           line.breakpoint != 0 ? "*" : " ", line.number);
    const std::size_t room = w.columns > margin.size() ? w.columns - margin.size() : 0;
    std::string shown = cut(margin, 0, w.columns) + cut(visible(line.text), w.left, room);
    const Style style = style_of(session, line, w.cursor);
    if (style != Style::Plain) shown.resize(shown.size() + w.columns - columns(shown), ' ');
    pane.lines.push_back({std::move(shown), style});
  }
  return pane;
}

PaneText environment(const StepSession& session) {
  PaneText pane{"environment", 0, {}};
  if (session.walker().config().stopped()) return pane;
  const auto text = [](Value value, const ViewContext& v) { return value_text(value, v, 1000); };
  for (const VariableView& x : view_frame(session.view_context(), 0, text).environment)
    pane.lines.push_back({fmt::format("{} = {}", x.name, x.text)});
  return pane;
}

PaneText stack(const StepSession& session) {
  const StackView view = view_stack(session.view_context(), kFrames + 1);
  PaneText pane{fmt::format("continuations: {}", view.total > 0 ? view.total - 1 : 0), 0, {}};
  for (const StackFrameView& f : view.frames)
    if (f.number > 0) pane.lines.push_back({frame_line(f)});
  if (view.frames.size() < view.total) pane.lines.push_back({"..."});
  return pane;
}

PaneText heap(const StepSession& session) {
  const HeapView view = view_heap(session.view_context(), kBlocks);
  PaneText pane{
      fmt::format("heap: {} of {} arrays within reach", view.blocks.size(), view.allocated), 0, {}};
  for (const BlockView& b : view.blocks)
    pane.lines.push_back({fmt::format("@{} = {}", b.address, b.elements)});
  if (view.cut) pane.lines.push_back({"..."});
  return pane;
}

PaneText output(const StepSession& session) {
  const OutputView view = view_output(session.view_context(), 0, kOutputLines);
  PaneText pane{fmt::format("output: {}", view.total), 0, {}};
  for (const std::string& line : view.lines) pane.lines.push_back({line});
  return pane;
}

constexpr std::size_t kInstructionRows = 2;

// What a deoptimization does, before why: the rule, the instruction and the frames, a line each.
// Long lines of frames are scrolled sideways.
std::vector<PaneLine> deopt_lines(const RuleView& view, std::size_t width) {
  std::vector<PaneLine> lines;
  const auto add = [&](const std::string& text, std::size_t most) {
    for (std::string& part : wrap(visible(text), width))
      if (most-- > 0)
        lines.push_back({std::move(part)});
      else
        return;
  };
  add(fmt::format("{}: {}", view.here.rule, view.conclusion), kInstructionRows);
  add("  " + view.here.at->instruction, kInstructionRows);
  lines.push_back({fmt::format("frames: {}", view.frames.size())});
  for (const StackFrameView& f : view.frames) lines.push_back({"  " + frame_line(f)});
  return lines;
}

PaneText rule(const StepSession& session, std::size_t width) {
  PaneText pane{"rule", 0, {}};
  RuleView view = view_rule(session.view_context());
  if (!view.frames.empty()) {
    pane.lines = deopt_lines(view, width);
    view.frames.clear();
  }
  std::string text = rule_text(view);
  if (view.here.at) text += "instruction\n  " + view.here.at->instruction + "\n";
  const std::size_t said = pane.lines.empty() ? 0 : 1; // the first line, in front of the frames
  const std::vector<std::string> all = lines_of(visible(text));
  for (std::size_t i = said; i < all.size(); ++i)
    for (std::string& part : wrap(all[i], width)) pane.lines.push_back({std::move(part)});
  if (!pane.lines.empty() && session.walker().at_deopt()) pane.lines[0].style = Style::Deopt;
  return pane;
}

PaneText whole(const StepSession& session, Pane pane, std::size_t width) {
  switch (pane) {
  case Pane::NextRule: return rule(session, width);
  case Pane::Environment: return environment(session);
  case Pane::Stack: return stack(session);
  case Pane::Heap: return heap(session);
  case Pane::Output: return output(session);
  case Pane::Source: break;
  }
  return {};
}

} // namespace

DeoptRows deopt_rows(const StepSession& session, int columns) {
  const auto width = static_cast<std::size_t>(std::max(columns, 1));
  const RuleView view = view_rule(session.view_context());
  if (view.frames.empty()) return {};
  return {static_cast<int>(deopt_lines(view, width).size()) + 1,
          static_cast<int>(rule(session, width).lines.size()) + 1};
}

PaneText view_pane(const StepSession& session, Pane pane, const PaneWindow& w) {
  if (pane == Pane::Source) return source(session, w);
  PaneText text = whole(session, pane, w.columns);
  text.total = text.lines.size();
  const std::size_t first = std::min(w.first, text.total);
  const std::size_t end = std::min(first + w.rows, text.total);
  std::vector<PaneLine> shown;
  for (std::size_t i = first; i < end; ++i)
    shown.push_back({cut(visible(text.lines[i].text), w.left, w.columns), text.lines[i].style});
  text.lines = std::move(shown);
  return text;
}

namespace {

constexpr int kLeastRows = 3;    // of a pane: its heading and two lines
constexpr int kTwoColumns = 64;  // from this width on
constexpr int kRowsForKeys = 10; // from this height on

struct Share {
  Pane pane;
  int weight;
  int importance; // the least important is omitted first
};

// The panes of a column, from top to bottom; those that do not fit are omitted.
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

// The rule pane at the bottom of the body, which becomes smaller.
Area cut_off_rule(Area& body, const DeoptRows& deopt) {
  const int roomy = body.rows - 3 * kLeastRows; // above it there is room for three panes
  const int rows = std::clamp(std::max(deopt.needed, std::min(deopt.all, roomy)), kLeastRows,
                              body.rows - kLeastRows);
  body.rows -= rows;
  return {body.y + body.rows, 0, rows, body.columns};
}

} // namespace

Layout lay_out(int rows, int columns, Pane focus, bool zoom, DeoptRows deopt) {
  Layout layout;
  if (rows < 1 || columns < 1) return layout;
  const int title = rows >= 3 ? 1 : 0, keys = rows >= kRowsForKeys ? 1 : 0;
  layout.title = {0, 0, title, columns};
  layout.message = {rows - 1 - keys, 0, 1, columns};
  layout.keys = {rows - 1, 0, keys, columns};
  Area body{title, 0, rows - title - 1 - keys, columns};
  if (body.empty()) return layout;
  if (zoom) {
    layout.pane(focus) = body;
    return layout;
  }
  const bool below = deopt.needed > 0 && body.rows >= 2 * kLeastRows;
  if (below) layout.pane(Pane::NextRule) = cut_off_rule(body, deopt);
  const auto with_rule = [below](std::vector<Share> shares) {
    if (below) std::erase_if(shares, [](const Share& s) { return s.pane == Pane::NextRule; });
    return shares;
  };
  if (columns < kTwoColumns) {
    fill(layout, body,
         with_rule({{Pane::Source, 4, 6},
                    {Pane::NextRule, 3, 5},
                    {Pane::Environment, 2, 4},
                    {Pane::Stack, 1, 2},
                    {Pane::Heap, 1, 1},
                    {Pane::Output, 1, 3}}),
         focus);
  } else {
    const int left = columns * 11 / 20;
    layout.separator = {body.y, left, body.rows, 1};
    fill(layout, {body.y, 0, body.rows, left},
         with_rule({{Pane::Source, 3, 2}, {Pane::NextRule, 2, 1}}), focus);
    fill(layout, {body.y, left + 1, body.rows, columns - left - 1},
         {{Pane::Environment, 4, 4}, {Pane::Stack, 2, 2}, {Pane::Heap, 2, 1}, {Pane::Output, 3, 3}},
         focus);
  }
  return layout;
}

} // namespace sourir
