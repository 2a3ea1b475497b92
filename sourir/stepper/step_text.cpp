#include "sourir/stepper/step_text.h"

#include "sourir/stepper/step_columns.h"
#include "sourir/syntax/match.h"

#include <algorithm>
#include <fmt/format.h>

namespace sourir {

namespace {

std::string plural(std::uint64_t n, std::string_view thing) {
  return fmt::format("{} {}{}", n, thing, n == 1 ? "" : "s");
}

std::string lines(const std::vector<std::string>& texts, std::string_view indent) {
  std::string out;
  for (const std::string& text : texts) out += fmt::format("{}{}\n", indent, text);
  return out;
}

std::string variables(const std::vector<VariableView>& environment, std::string_view indent) {
  std::string out;
  for (const VariableView& x : environment)
    out += fmt::format("{}{} = {}\n", indent, x.name, x.text);
  return out;
}

std::string text(const HereView& here) {
  const std::string line = here_line(here) + "\n";
  return here.end.empty() || !here.at ? line : line + "  " + here.end + "\n";
}

std::string text(const TextView& v) { return v.text; }
std::string text(const WhereView& v) {
  const std::string rule = v.here.rule.empty() ? "" : "  rule " + v.here.rule + "\n";
  return text(v.here) + rule;
}

std::string text(const MoveView& v) {
  std::string out;
  for (const StepLine& step : v.steps)
    out += (v.direction == StepDirection::Back ? "undo " : "") + step_text(step) + "\n";
  if (v.steps.empty() && v.moved > 0)
    out += fmt::format("{} {}\n", plural(v.moved, "step"),
                       v.direction == StepDirection::Back ? "undone" : "done");
  if (v.printed.size() < v.printed_lines)
    out += fmt::format("printed {}, the last are\n", plural(v.printed_lines, "line"));
  out += lines(v.printed, "| ");
  const std::string why = why_text(v);
  return out + (why.empty() ? "" : why + "\n") + here_line(v.here) + "\n";
}

std::string text(const EnvView& v) {
  const StackFrameView& f = v.frame;
  if (f.at.place.empty()) return "the program has stopped: there is no environment\n";
  const std::string title =
      f.number == 0 ? "environment" : fmt::format("continuation {}", f.number);
  const std::string waits = f.number == 0 ? "" : fmt::format(", waits for {}", f.result);
  const std::string empty = f.environment.empty() ? "  (empty)\n" : "";
  return fmt::format("{} at {}{}\n", title, f.at.place, waits) + variables(f.environment, "  ") +
         empty;
}

std::string text(const StackView& v) {
  if (v.total == 0) return "the program has stopped: there are no frames\n";
  std::string out;
  for (const StackFrameView& f : v.frames) out += frame_line(f) + "\n";
  if (v.frames.size() < v.total)
    out += fmt::format("and {} further out\n", v.total - v.frames.size());
  return out;
}

std::string text(const HeapView& v) {
  std::string out;
  for (const BlockView& b : v.blocks) out += fmt::format("@{} = {}\n", b.address, b.elements);
  if (v.cut) out += "and more\n";
  const std::string kept = v.blocks.empty() ? "no array can be reached from here; " : "";
  return out + fmt::format("{}{} allocated, {}\n", kept, plural(v.allocated, "array"),
                           plural(v.bytes, "byte"));
}

std::string text(const RuleView& v) {
  if (!v.here.at) return text(v.here);
  const PlaceView& at = *v.here.at;
  return rule_text(v) + fmt::format("at {}  line {}\n  {}\n", at.place, at.line, at.instruction);
}

std::string text(const ListView& v) {
  std::string out;
  for (const SourceLine& line : v.lines)
    out += fmt::format("{}{}{:>5} {}\n", line.here ? "=>" : "  ",
                       line.breakpoint != 0 ? fmt::format("*{:<2}", line.breakpoint) : "   ",
                       line.number, line.text);
  return out;
}

std::string text(const OutputView& v) {
  if (v.total == 0) return "nothing printed so far\n";
  const std::uint64_t hidden = v.total - v.lines.size();
  return (hidden > 0 ? fmt::format("{} before these\n", plural(hidden, "line")) : "") +
         lines(v.lines, "| ");
}

std::string text(const ShowView& v) {
  std::string out = text(v.here) + text(v.source);
  if (v.here.at)
    out +=
        "environment\n" + (v.environment.empty() ? "  (empty)\n" : variables(v.environment, "  "));
  if (v.continuations > 0) out += plural(v.continuations, "continuation") + "\n";
  return out + (v.here.rule.empty() ? "" : "rule " + v.here.rule + "\n");
}

std::string text(const StateView& v) {
  std::string out = text(v.here);
  if (!v.environment.empty()) out += "environment\n" + variables(v.environment, "  ");
  if (!v.continuations.empty()) out += "continuations\n";
  for (const StackFrameView& f : v.continuations) out += "  " + frame_line(f) + "\n";
  if (!v.heap.empty()) out += "heap\n";
  for (const BlockView& b : v.heap) out += fmt::format("  @{} = {}\n", b.address, b.elements);
  if (!v.printed.empty()) out += "printed\n" + lines(v.printed, "  | ");
  out +=
      fmt::format("{} of the input read, {}{}\n", plural(v.input, "line"),
                  v.opportunities == 1 ? "1 opportunity" : plural(v.opportunities, "opportunitie"),
                  v.returned ? ", a call has returned since" : "");
  return out + (v.left_out.empty() ? "" : "parts are left out; digest " + v.left_out + "\n");
}

std::string text(const ValueView& v) {
  return fmt::format("{} = {}\n", v.value.name, v.value.text);
}

std::string text(const BreakpointsView& v) {
  std::string out;
  for (const auto& row : v.rows) {
    out += fmt::format("breakpoint {} ({})\n", row.number, row.asked);
    for (const PlaceView& at : row.at)
      out += fmt::format("  {}  line {}: {}\n", at.place, at.line, at.instruction);
  }
  return out.empty() ? "no breakpoints\n" : out;
}

std::string text(const HistoryView& v) {
  std::string out;
  for (const StepLine& step : v.steps) out += step_text(step) + "\n";
  return out + here_line(v.here) + "\n";
}

} // namespace

std::string here_line(const HereView& here) {
  if (!here.at) return fmt::format("{}  {}", here.step, here.end);
  return fmt::format("{}  {}  line {}: {}", here.step, here.at->place, here.at->line,
                     here.at->instruction);
}

std::string environment_line(const std::vector<VariableView>& environment) {
  std::string out = "[";
  for (const VariableView& x : environment)
    out += fmt::format("{}{} = {}", out.size() > 1 ? ", " : "", x.name, x.text);
  return out + "]";
}

std::string frame_line(const StackFrameView& f) {
  return fmt::format("{} {}{}  {}", f.number, f.at.place,
                     f.number == 0 ? "" : fmt::format(", {} = $", f.result),
                     environment_line(f.environment));
}

std::string step_text(const StepLine& s) {
  return fmt::format("{}  {:<11} {}  {}", s.number, s.rule, s.place, s.effect);
}

std::string why_text(const MoveView& move) {
  switch (move.why) {
  case WalkEnd::Arrived: return {};
  case WalkEnd::Breakpoint: return fmt::format("breakpoint {}", move.breakpoint);
  case WalkEnd::Deopt: return fmt::format("{} fires next", move.here.rule);
  case WalkEnd::End: return move.here.at ? move.here.end : "the end";
  case WalkEnd::Start: return "the start";
  case WalkEnd::Interrupted: return "interrupted";
  }
  return {};
}

std::string rule_text(const RuleView& v) {
  if (!v.here.at) return {};
  std::string out = v.here.rule.empty() ? "no rule fires: " + v.here.end + "\n"
                                        : fmt::format("{}: {}\n", v.here.rule, v.conclusion);
  if (!v.premises.empty()) out += "premises\n";
  for (const PremiseView& p : v.premises) out += "  " + p.text + "\n";
  out += lines(v.refused, "");
  if (!v.effect.empty()) out += "effect\n" + lines(v.effect, "  ");
  if (!v.frames.empty()) out += "frames\n";
  for (const StackFrameView& f : v.frames) out += "  " + frame_line(f) + "\n";
  return out;
}

std::string to_text(const StepView& view) {
  return visible(match(view, [](const auto& v) { return text(v); }));
}

} // namespace sourir
