#include "sourir/stepper/step_json.h"

#include "sourir/semantics/text/value_json.h"
#include "sourir/syntax/match.h"

namespace sourir {

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

// Turns a view into the answer; `names` are those of the program.
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
