#include "sourir/cli/trace.h"

#include "sourir/os/terminal.h"
#include "sourir/semantics/eval.h"
#include "sourir/semantics/growth.h"
#include "sourir/semantics/text/state_text.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

// --- What a step did -----------------------------------------------------------------------------

namespace {

constexpr std::size_t kLongestValue = 60;

std::string value_text(const MadeStep& s, Value v) {
  return show(v, s.after.heap, s.places.names(), kLongestValue);
}

Json value_of(const MadeStep& s, Value v) { return value_json(v, s.after.heap, s.places.names()); }

std::string name_of(const MadeStep& s, const ResolvedVersion& code, Slot slot) {
  return std::string(s.places.names().text(code.slots[slot]));
}

// "x = 1, y = 2" of an environment.
std::string bindings(const MadeStep& s, const ResolvedVersion& code, Env env) {
  std::string out;
  for (Slot slot = 0; slot < code.slots.size(); ++slot)
    if (!env[slot].is(Tag::Unbound))
      out += fmt::format("{}{} = {}", out.empty() ? "" : ", ", name_of(s, code, slot),
                         value_text(s, env[slot]));
  return out;
}

std::string frame_text(const MadeStep& s, const NewFrame& f) {
  return fmt::format("{} [{}]", s.places.place(*f.code, f.pc), bindings(s, *f.code, f.env.data()));
}

std::string replace_text(const MadeStep& s, const std::vector<NewFrame>& frames) {
  std::string out = "deoptimize to " + frame_text(s, frames.back());
  for (std::size_t i = frames.size() - 1; i > 0; --i) {
    const NewFrame& f = frames[i - 1];
    out += fmt::format(", frame {} for {}", frame_text(s, f), name_of(s, *f.code, f.result));
  }
  if (!s.coming.failing.empty()) out += "; " + s.coming.failing;
  return out;
}

Json replace_json(const MadeStep& s, const std::vector<NewFrame>& frames) {
  Json all = Json::array();
  for (std::size_t i = frames.size(); i > 0; --i) {
    const NewFrame& f = frames[i - 1];
    Json& frame = all.emplace_back(Json::object());
    frame["place"] = s.places.place(*f.code, f.pc);
    if (i < frames.size()) frame["result"] = name_of(s, *f.code, f.result);
    frame["values"] = environment_json(*f.code, f.env.data(), s.after.heap, s.places.names());
  }
  return all;
}

// The target of a step that only moves, if it is a jump.
std::string move_text(const MadeStep& s, Pc to) {
  const bool jumps = std::holds_alternative<resolved::Goto>(s.code.instrs[s.pc]) ||
                     std::holds_alternative<resolved::Branch>(s.code.instrs[s.pc]);
  return jumps ? "to " + s.places.place(s.code, to) : std::string();
}

// The variable of an array update.
Slot updated(const MadeStep& s) { return std::get<resolved::ArrayUpdate>(s.code.instrs[s.pc]).x; }

// "a[0], (h == 'inc)"
std::string watched_text(const MadeStep& s, const effect::SetWatches& e) {
  std::string out;
  for (const WatchedElement& one : e.elements)
    out += (out.empty() ? "" : ", ") + guard_text(s.after, s.pc, one.guard);
  return out;
}

std::string counted_frames(const effect::MoveInto& e) {
  return e.with.size() == 1 ? "move" : fmt::format("{} frames move", e.with.size());
}

std::string text_of(const MadeStep& s, const Effect& effect) {
  return match(
      effect, [&](const effect::Move& e) { return move_text(s, e.to); },
      [&](const effect::Bind& e) {
        return fmt::format("{} = {}", name_of(s, s.code, e.x), value_text(s, e.v));
      },
      [&](const effect::Unbind& e) { return name_of(s, s.code, e.x) + " is gone"; },
      [&](const effect::Allocate& e) {
        return fmt::format("{} = {}", name_of(s, s.code, e.x), value_text(s, s.after.env()[e.x]));
      },
      [&](const effect::Store& e) {
        return fmt::format("{}[{}] = {}", name_of(s, s.code, updated(s)), e.index,
                           value_text(s, e.v));
      },
      [&](const effect::Push& e) {
        return fmt::format("enter {} [{}]", s.places.place(*e.callee, 0),
                           bindings(s, *e.callee, s.after.env()));
      },
      [&](const effect::Pop& e) {
        return fmt::format("back to {}, {} = {}", s.places.place(*s.after.code, s.after.pc),
                           name_of(s, *s.after.code, s.coming.result), value_text(s, e.v));
      },
      [&](const effect::Replace& e) { return replace_text(s, e.to.frames); },
      [&](const effect::MoveInto& e) {
        return fmt::format("{} to {} [{}]", counted_frames(e), s.places.place(*e.code, 0),
                           bindings(s, *e.code, s.after.env()));
      },
      [&](const effect::Halt&) { return "stop " + value_text(s, s.after.result); },
      [&](const effect::SetWatches& e) { return "watch " + watched_text(s, e); });
}

Json json_of(const MadeStep& s, const Effect& effect) {
  return match(
      effect, [&](const effect::Move& e) { return Json{{"move", s.places.place(s.code, e.to)}}; },
      [&](const effect::Bind& e) {
        return Json{{"bind", name_of(s, s.code, e.x)}, {"value", value_of(s, e.v)}};
      },
      [&](const effect::Unbind& e) { return Json{{"unbind", name_of(s, s.code, e.x)}}; },
      [&](const effect::Allocate& e) {
        return Json{{"allocate", name_of(s, s.code, e.x)},
                    {"length", e.length},
                    {"value", value_of(s, s.after.env()[e.x])}};
      },
      [&](const effect::Store& e) {
        return Json{{"store", name_of(s, s.code, updated(s))},
                    {"index", e.index},
                    {"value", value_of(s, e.v)}};
      },
      [&](const effect::Push& e) {
        return Json{
            {"push", s.places.place(*e.callee, 0)},
            {"values", environment_json(*e.callee, s.after.env(), s.after.heap, s.places.names())}};
      },
      [&](const effect::Pop& e) {
        return Json{{"pop", s.places.place(*s.after.code, s.after.pc)},
                    {"bind", name_of(s, *s.after.code, s.coming.result)},
                    {"value", value_of(s, e.v)}};
      },
      [&](const effect::Replace& e) {
        Json json{{"replace", replace_json(s, e.to.frames)}};
        if (!s.coming.failing.empty()) json["because"] = s.coming.failing;
        return json;
      },
      [&](const effect::MoveInto& e) {
        return Json{
            {"move-into", s.places.place(*e.code, 0)},
            {"frames", e.with.size()},
            {"values", environment_json(*e.code, s.after.env(), s.after.heap, s.places.names())}};
      },
      [&](const effect::Halt&) { return Json{{"halt", value_of(s, s.after.result)}}; },
      [&](const effect::SetWatches& e) {
        Json guards = Json::array();
        for (const WatchedElement& one : e.elements)
          guards.push_back(guard_text(s.after, s.pc, one.guard));
        return Json{{"watch", std::move(guards)}};
      });
}

// The effect of a step, once it has been made.
Effect made(const MadeStep& s) {
  if (s.coming.effect) return *s.coming.effect;
  return effect::Bind{std::get<resolved::Read>(s.code.instrs[s.pc]).x, s.result.action.value};
}

} // namespace

ComingStep look_ahead(const Config& c) {
  ComingStep coming;
  if (c.stopped()) return coming;
  if (!c.frames.empty()) coming.result = c.frames.back().result;
  const bool grows = c.growth != nullptr && c.growth->pending(c) != nullptr;
  if (std::holds_alternative<resolved::Read>(c.instr()) && !grows) return coming;
  Next found = next(c);
  if (!found.derivation.transition) return coming;
  coming.effect = std::move(found.derivation.transition->effect);
  if (grows) return coming;
  const auto* assume = std::get_if<resolved::Assume>(&c.instr());
  if (const auto fallen = fallen_watches(c); !fallen.empty()) {
    const Watch& first = fallen.front();
    coming.failing = "the element of " + guard_text(c, first.pc, first.guard) + " at " +
                     print(c.code->place(first.pc), c.program->names()) + " has changed";
  } else if (assume && std::holds_alternative<effect::Replace>(*coming.effect)) {
    const std::size_t guard = first_failing(c.heap, c.env(), assume->guards);
    if (guard < assume->guards.size()) {
      const Premise premise = premises(c).at(guard);
      coming.failing = premise.expression + (premise.value ? " is " : " has no value: ") +
                       (premise.value ? show(premise.value.value, c.heap, c.program->names(), 60)
                                      : name_of(premise.value.why));
    }
  }
  return coming;
}

std::string effect_text(const MadeStep& s) {
  switch (s.result.action.kind) {
  case ActionKind::Print:
    return "print " + std::string(s.printed.substr(0, 4 * kLongestValue)) +
           (s.printed.size() > 4 * kLongestValue ? "..." : "");
  case ActionKind::Read: return "read " + text_of(s, made(s));
  case ActionKind::Silent:
  case ActionKind::Stop: break;
  }
  return text_of(s, made(s));
}

Json effect_json(const MadeStep& s) { return json_of(s, made(s)); }

Json action_json(const MadeStep& s) {
  const Value v = s.result.action.value;
  switch (s.result.action.kind) {
  case ActionKind::Silent: break;
  case ActionKind::Read: return {{"read", value_of(s, v)}};
  case ActionKind::Print: return {{"print", s.printed}};
  case ActionKind::Stop: return {{"stop", value_of(s, v)}};
  }
  return nullptr;
}

// --- The trace of a run --------------------------------------------------------------------------

namespace {

constexpr std::size_t kWidestPlace = 32, kWidestInstruction = 48;

// An instruction that fits into its column.
std::string column(const std::string& instruction) {
  if (instruction.size() <= kWidestInstruction) return instruction;
  return cut(instruction, kWidestInstruction - 3);
}

} // namespace

Tracer::Tracer(const TextPlaces& places, const LinkedProgram& program, Output& out, Form form)
    : places_(places), out_(out), form_(form) {
  if (form == Form::JsonLines) return;
  for (const Function& f : places.program().functions)
    for (const Version& v : f.versions) {
      const ResolvedVersion& code = *program.version(f.name, v.name);
      for (Pc pc = 0; pc < code.instrs.size(); ++pc) {
        place_width_ = std::max(place_width_, places.place(code, pc).size());
        instruction_width_ = std::max(instruction_width_, places.instruction(code, pc).size());
      }
    }
  place_width_ = std::min(place_width_, kWidestPlace);
  instruction_width_ = std::min(instruction_width_, kWidestInstruction);
}

void Tracer::begin(const Config& c) {
  if (form_ == Form::JsonLines)
    out_.write(json_line({{"format", "trace"},
                          {"version", 1},
                          {"engine", "reference"},
                          {"file", places_.source().name()}}));
  if (c.watch_plan) rule_width_ = std::string_view("AssumeInvalidate").size();
  coming_ = look_ahead(c);
}

void Tracer::printed(std::string_view line) {
  out_.flush(); // the trace so far comes before the line
  printed_ = line;
}

void Tracer::step(const Config& c, const StepResult& r, const ResolvedVersion* code, Pc pc) {
  if (form_ == Form::Text)
    step_text(c, r, *code, pc);
  else
    step_json(c, r, *code, pc);
  coming_ = look_ahead(c);
}

void Tracer::step_text(const Config& c, const StepResult& r, const ResolvedVersion& code, Pc pc) {
  const std::string change = effect_text({places_, c, r, code, pc, coming_, printed_});
  std::string line = fmt::format("{:>6}  {:<{}}  {:<{}}  {:<{}}  {}", c.steps, r.rule->name,
                                 rule_width_, places_.place(code, pc), place_width_,
                                 printable(column(places_.instruction(code, pc))),
                                 instruction_width_, printable(change));
  line.erase(line.find_last_not_of(' ') + 1);
  out_.write(line + "\n");
}

void Tracer::step_json(const Config& c, const StepResult& r, const ResolvedVersion& code, Pc pc) {
  const MadeStep made{places_, c, r, code, pc, coming_, printed_};
  out_.write(json_line({{"step", c.steps},
                        {"rule", r.rule->name},
                        {"place", places_.place(code, pc)},
                        {"line", places_.at(code, pc).line},
                        {"effect", effect_json(made)},
                        {"action", action_json(made)}}));
}

void Tracer::end(const std::string& outcome) {
  if (form_ == Form::JsonLines) out_.write(outcome);
}

} // namespace sourir
