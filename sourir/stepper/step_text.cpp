#include "sourir/stepper/step_text.h"

#include "sourir/semantics/text/state_text.h"
#include "sourir/stepper/step_columns.h"
#include "sourir/syntax/match.h"

#include <fmt/format.h>

#include <algorithm>

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
  out += fmt::format(
      "{} of the input read so far, {} to take an exit{}\n", plural(v.input, "line"),
      v.opportunities == 1 ? "1 opportunity" : plural(v.opportunities, "opportunitie"),
      v.returned && v.opportunities > 0 ? " (a call has returned after the last one)" : "");
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

namespace {

Json optional_text(const std::string& text) { return text.empty() ? Json() : Json(text); }

Json json(const VariableView& x, const Names& names) {
  if (x.value.is(Tag::Array)) return {{"array", x.text}};
  return value_json(x.value, Heap(), names);
}

Json json(const PlaceView& at) {
  return {{"place", at.place}, {"line", at.line}, {"instruction", at.instruction}};
}

Json json(const HereView& here) {
  return {{"step", here.step},
          {"at", here.at ? json(*here.at) : Json()},
          {"rule", optional_text(here.rule)},
          {"end", optional_text(here.end)}};
}

Json json(const StepLine& s) {
  return {{"number", s.number}, {"rule", s.rule}, {"place", s.place}, {"effect", s.effect}};
}

Json json(const BlockView& b) {
  return {{"address", b.address}, {"length", b.length}, {"elements", b.elements}};
}

const char* name_of(WalkEnd end) {
  static constexpr const char* kNames[] = {"arrived", "breakpoint", "deopt",
                                           "end",     "start",      "interrupted"};
  return kNames[static_cast<std::size_t>(end)];
}

template <class Views>
Json array(const Views& views) {
  Json out = Json::array();
  for (const auto& view : views) out.push_back(json(view));
  return out;
}

// Views as JSON; `names` are those of the program.
struct Writer {
  const Names& names;

  Json environment(const std::vector<VariableView>& variables) const {
    Json out = Json::object();
    for (const VariableView& x : variables) out[x.name] = json(x, names);
    return out;
  }

  Json frame(const StackFrameView& f) const {
    return {{"number", f.number},
            {"at", json(f.at)},
            {"result", optional_text(f.result)},
            {"environment", environment(f.environment)}};
  }

  Json frames(const std::vector<StackFrameView>& views) const {
    Json out = Json::array();
    for (const StackFrameView& f : views) out.push_back(frame(f));
    return out;
  }

  Json operator()(const TextView& v) const { return {{"kind", "text"}, {"text", v.text}}; }
  Json operator()(const MoveView& v) const {
    return {{"kind", "move"},
            {"direction", v.direction == StepDirection::Forward ? "forward" : "back"},
            {"moved", v.moved},
            {"ended", name_of(v.why)},
            {"breakpoint", v.breakpoint != 0 ? Json(v.breakpoint) : Json()},
            {"steps", array(v.steps)},
            {"printed", v.printed},
            {"printed_lines", v.printed_lines}};
  }
  Json operator()(const EnvView& v) const { return {{"kind", "env"}, {"frame", frame(v.frame)}}; }
  Json operator()(const StackView& v) const {
    return {{"kind", "stack"}, {"total", v.total}, {"frames", frames(v.frames)}};
  }
  Json operator()(const HeapView& v) const {
    return {{"kind", "heap"},
            {"blocks", array(v.blocks)},
            {"cut", v.cut},
            {"allocated", v.allocated},
            {"bytes", v.bytes}};
  }
  Json operator()(const RuleView& v) const {
    Json premises = Json::array();
    for (const PremiseView& p : v.premises) premises.push_back(p.text);
    return {{"kind", "rule"},
            {"conclusion", optional_text(v.conclusion)},
            {"premises", premises},
            {"effect", v.effect},
            {"frames", frames(v.frames)},
            {"refused", v.refused}};
  }
  Json operator()(const ListView& v) const {
    Json lines = Json::array();
    for (const SourceLine& line : v.lines)
      lines.push_back({{"number", line.number},
                       {"text", line.text},
                       {"here", line.here},
                       {"breakpoint", line.breakpoint != 0 ? Json(line.breakpoint) : Json()}});
    return {{"kind", "list"}, {"lines", lines}};
  }
  Json operator()(const OutputView& v) const {
    return {{"kind", "output"}, {"total", v.total}, {"lines", v.lines}};
  }
  Json operator()(const WhereView&) const { return {{"kind", "where"}}; }
  Json operator()(const ShowView& v) const {
    return {{"kind", "show"},
            {"lines", (*this)(v.source)["lines"]},
            {"environment", environment(v.environment)},
            {"continuations", v.continuations}};
  }
  Json operator()(const StateView& v) const {
    return {{"kind", "state"},
            {"environment", environment(v.environment)},
            {"continuations", frames(v.continuations)},
            {"heap", array(v.heap)},
            {"printed", v.printed},
            {"digest", optional_text(v.left_out)},
            {"input", v.input},
            {"opportunities", v.opportunities},
            {"returned", v.returned}};
  }
  Json operator()(const ValueView& v) const {
    return {{"kind", "value"}, {"expression", v.value.name}, {"value", json(v.value, names)}};
  }
  Json operator()(const BreakpointsView& v) const {
    Json rows = Json::array();
    for (const auto& row : v.rows)
      rows.push_back({{"number", row.number}, {"asked", row.asked}, {"at", array(row.at)}});
    return {{"kind", "breakpoints"}, {"breakpoints", rows}};
  }
  Json operator()(const HistoryView& v) const {
    return {{"kind", "history"}, {"steps", array(v.steps)}};
  }
};

} // namespace

std::string to_json(const StepReply& reply, const Names& names) {
  Json out = {{"format", "step"}, {"version", 1}, {"command", reply.command}, {"ok", reply.ok()}};
  out.update(json(reply.here));
  if (const auto* wrong = std::get_if<CommandError>(&reply.answer))
    out["error"] = wrong->message;
  else
    out["answer"] = std::visit(Writer{names}, std::get<StepView>(reply.answer));
  return json_line(out);
}

} // namespace sourir
