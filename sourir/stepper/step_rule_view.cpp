// The rule that fires next: its premises with their values, and what it would change.
#include "sourir/stepper/step_view.h"

#include "sourir/semantics/run.h"
#include "sourir/syntax/match.h"

#include <algorithm>
#include <fmt/format.h>

namespace sourir {

namespace {

std::string version_name(const Viewed& v, const ResolvedVersion& code) {
  return fmt::format("{}.{}", v.names().text(code.function), v.names().text(code.version));
}

std::string name_of_slot(const Viewed& v, const ResolvedVersion& code, Slot x) {
  return std::string(v.names().text(code.slots[x]));
}

// "x := 3", or "x: 1 -> 3" where it was bound.
std::string binding(const Viewed& v, const ResolvedVersion& code, Env env, Slot x, Value value) {
  const std::string name = name_of_slot(v, code, x);
  if (env[x].is(Tag::Unbound)) return fmt::format("{} := {}", name, value_text(value, v));
  return fmt::format("{}: {} -> {}", name, value_text(env[x], v), value_text(value, v));
}

std::string arguments(const Viewed& v, const effect::Push& e) {
  std::string out;
  for (std::size_t i = 0; i < e.arguments.size(); ++i)
    out += fmt::format("{}{} = {}", i > 0 ? ", " : " with ",
                       name_of_slot(v, *e.callee, static_cast<Slot>(i)),
                       value_text(e.arguments[i], v, 60));
  return out;
}

std::string fresh_array(const Viewed& v, const effect::Allocate& e) {
  const std::string name = name_of_slot(v, *v.config().code, e.x);
  const std::size_t address = v.config().heap.blocks.size();
  if (e.elements.empty())
    return fmt::format("{} := @{}, a new array of {} elements, all nil", name, address, e.length);
  std::string out = fmt::format("{} := @{} [", name, address);
  for (std::size_t i = 0; i < e.elements.size() && i < 16; ++i)
    out += (i > 0 ? ", " : "") + reference_text(e.elements[i], v);
  return out + (e.elements.size() > 16 ? ", ...], a new array" : "], a new array");
}

std::string popped(const Viewed& v, const effect::Pop& e) {
  const Config& c = v.config();
  const Continuation& k = c.frames.back();
  return fmt::format("returns to {}, {}", v.program.place({k.code, k.pc}),
                     binding(v, *k.code, c.stack.data() + k.base, k.result, e.v));
}

std::string replaced(const Viewed& v, const effect::Replace& e) {
  const NewFrame& top = e.to.frames.back();
  std::string out = fmt::format("leaves {} for {}", version_name(v, *v.config().code),
                                v.program.place({top.code, top.pc}));
  if (const std::size_t outer = e.to.frames.size() - 1; outer > 0)
    out += fmt::format(" and {} outer frame{}", outer, outer > 1 ? "s" : "");
  return out;
}

std::string effect_text(const Viewed& v, const Effect& effect) {
  const Config& c = v.config();
  return match(
      effect,
      [&](const effect::Move& e) {
        const bool jumps = std::holds_alternative<resolved::Goto>(c.instr()) ||
                           std::holds_alternative<resolved::Branch>(c.instr());
        return jumps ? "goes to " + v.program.place({c.code, e.to}) : std::string("goes on");
      },
      [&](const effect::Bind& e) { return binding(v, *c.code, c.env(), e.x, e.v); },
      [&](const effect::Unbind& e) {
        return fmt::format("{} is dropped, it was {}", name_of_slot(v, *c.code, e.x),
                           value_text(c.env()[e.x], v));
      },
      [&](const effect::Allocate& e) { return fresh_array(v, e); },
      [&](const effect::Store& e) {
        const Value old = c.heap.blocks[e.array.index][e.index];
        return fmt::format("@{}[{}]: {} -> {}", e.array.index, e.index, reference_text(old, v),
                           reference_text(e.v, v));
      },
      [&](const effect::Push& e) {
        return fmt::format("enters {}{}", version_name(v, *e.callee), arguments(v, e));
      },
      [&](const effect::Pop& e) { return popped(v, e); },
      [&](const effect::Replace& e) { return replaced(v, e); },
      [&](const effect::Halt&) { return std::string("ends the program"); });
}

// With the action in front, if it can be observed.
std::string transition_text(const Viewed& v, const Transition& t) {
  const std::string value = value_text(t.action.value, v);
  switch (t.action.kind) {
  case ActionKind::Silent: break;
  case ActionKind::Read: return fmt::format("reads {}; {}", value, effect_text(v, t.effect));
  case ActionKind::Print: return "prints " + show(t.action.value, v.config().heap, v.names(), 100);
  case ActionKind::Stop: return fmt::format("{} with {}", effect_text(v, t.effect), value);
  }
  return effect_text(v, t.effect);
}

// Why a call enters this version: the contexts up to it, in the order in which they are tried.
void view_contexts(const Viewed& v, const effect::Push& e, std::vector<PremiseView>& out) {
  for (const ResolvedVersion* code : v.program.linked().function(e.callee->function)->dispatch) {
    std::string when;
    for (const Expr& guard : code->source->when)
      when += fmt::format("{}{}", when.empty() ? "" : ", ",
                          v.program.expression(print(guard, v.names())));
    const bool entered = code == e.callee;
    if (!when.empty())
      out.push_back(
          {fmt::format("context of {}: {} -> {}", version_name(v, *code), when, entered)});
    if (entered) return;
  }
}

std::vector<PremiseView> view_premises(const Viewed& v, const Next& found) {
  std::vector<PremiseView> out;
  for (const Premise& p : premises(v.config())) {
    if (!p.value) {
      out.push_back({fmt::format("{} has no value: {}", v.program.expression(p.expression),
                                 name_of(p.value.why))});
      continue;
    }
    if (reference_text(p.value.value, v) != p.expression) // not a literal
      out.push_back({fmt::format("{} -> {}", v.program.expression(p.expression),
                                 value_text(p.value.value, v))});
  }
  if (!found.rule) return out;
  const Transition& t = *found.derivation.transition;
  if (const auto* push = std::get_if<effect::Push>(&t.effect)) view_contexts(v, *push, out);
  if (t.opportunity) {
    const bool leaves = std::holds_alternative<effect::Replace>(t.effect);
    out.push_back({fmt::format("the schedule {} at opportunity {}", leaves ? "leaves" : "stays",
                               v.config().opportunities + 1)});
  }
  return out;
}

// The frames and blocks that a deoptimization would make.
void view_replacement(const Viewed& v, const NewFrames& to, RuleView& view) {
  const auto text = [](Value value, const Viewed& at) { return value_text(value, at); };
  for (std::size_t i = 0; i < to.blocks.size(); ++i) {
    std::string elements;
    for (std::size_t k = 0; k < to.blocks[i].size() && k < 32; ++k)
      elements += (k > 0 ? ", " : "") + reference_text(to.blocks[i][k], v);
    view.effect.push_back(fmt::format("makes @{} [{}{}]", v.config().heap.blocks.size() + i,
                                      elements, to.blocks[i].size() > 32 ? ", ..." : ""));
  }
  for (auto f = to.frames.rbegin(); f != to.frames.rend(); ++f) {
    const bool top = f == to.frames.rbegin();
    view.frames.push_back({view.frames.size(), view_place(v, {f->code, f->pc}),
                           top ? std::string() : name_of_slot(v, *f->code, f->result),
                           view_environment(v, *f->code, f->env.data(), text)});
  }
}

void view_refusals(const Viewed& v, RuleView& view) {
  for (const RuleRow& row : rules_for(v.config().instr().index())) {
    const Derivation d = row.rule(v.config());
    if (!d && d.why != StuckReason::None)
      view.refused.push_back(fmt::format("{} does not apply: {}", row.name, name_of(d.why)));
    else if (!d && d.limit != Limit::None)
      view.refused.push_back(fmt::format("{} reaches the {} limit", row.name, name_of(d.limit)));
  }
}

} // namespace

StepLine view_step(const Viewed& v) {
  const Next found = next(v.config());
  return {v.config().steps + 1, found.rule ? std::string(found.rule->name) : std::string(),
          v.program.place(v.walker.position()),
          found.rule ? transition_text(v, *found.derivation.transition) : std::string()};
}

RuleView view_rule(const Viewed& v) {
  RuleView view{view_here(v), {}, {}, {}, {}, {}};
  if (v.config().stopped()) return view;
  const Next found = next(v.config());
  view.premises = view_premises(v, found);
  if (!found.rule) {
    view_refusals(v, view);
    return view;
  }
  const Transition& t = *found.derivation.transition;
  if (!view.here.end.empty()) { // a limit
    view.refused.push_back(fmt::format("{} would: {}", found.rule->name, transition_text(v, t)));
    return view;
  }
  view.conclusion = found.rule->conclusion;
  view.effect.push_back(transition_text(v, t));
  if (const auto* replace = std::get_if<effect::Replace>(&t.effect))
    view_replacement(v, replace->to, view);
  return view;
}

} // namespace sourir
