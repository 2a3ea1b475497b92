#include "sourir/semantics/step.h"

#include "sourir/semantics/growth.h"
#include "sourir/syntax/match.h"

#include <algorithm>

namespace sourir {

namespace {

// The first limit that the effect would exceed.
Limit exceeded(const Config& c, const Effect& effect) {
  const Limits& limits = *c.limits;
  if (const auto* e = std::get_if<effect::Allocate>(&effect)) {
    if (e->length > limits.array) return Limit::Array;
    if (c.heap.bytes + Heap::size_of(e->length) > limits.heap) return Limit::Heap;
  } else if (const auto* push = std::get_if<effect::Push>(&effect)) {
    if (c.frames.size() >= limits.depth ||
        (c.stack.size() + push->callee->slots.size()) * sizeof(Value) > limits.stack)
      return Limit::Depth;
  } else if (const auto* replace = std::get_if<effect::Replace>(&effect)) {
    if (c.frames.size() + replace->to.frames.size() - 1 > limits.depth) return Limit::Depth;
  }
  return Limit::None;
}

StepResult at_limit(Limit limit) {
  return {StepStatus::AtLimit, nullptr, {}, StuckReason::None, limit};
}

// Appends the text of a print; false if it and its newline exceed the rest of the output limit.
bool print_fits(const Config& c, const Action& action, std::string& printed) {
  const std::uint64_t left = c.limits->output - c.output_bytes;
  return left > 0 && render(printed, action.value, c.heap, c.program->names(), left - 1);
}

} // namespace

Next next(const Config& c) {
  if (c.growth != nullptr)
    if (Next growth = grows(c); growth.rule != nullptr) return growth;
  Next found{nullptr, kOtherRule};
  for (const RuleRow& row : rules_for(c.instr().index())) {
    Derivation d = row.rule(c);
    if (d) return {&row, std::move(d)};
    if (d.why != StuckReason::None || d.limit != Limit::None) found.derivation = std::move(d);
  }
  return found;
}

StepResult step(Config& c, std::string& printed, Undo* undo) {
  if (c.stopped()) return {StepStatus::Stopped};
  if (c.steps >= c.limits->fuel) return at_limit(Limit::Fuel);
  Next found = next(c);
  if (!found.rule) {
    const Derivation& d = found.derivation;
    return d.limit != Limit::None ? at_limit(d.limit)
                                  : StepResult{StepStatus::Stuck, nullptr, {}, d.why};
  }
  Transition& t = *found.derivation.transition;
  if (const Limit limit = exceeded(c, t.effect); limit != Limit::None) return at_limit(limit);
  const Action action = t.action;
  const std::size_t before = printed.size();
  if (action.kind == ActionKind::Print && !print_fits(c, action, printed)) {
    printed.resize(before);
    return at_limit(Limit::Output);
  }
  const std::uint64_t bytes =
      action.kind == ActionKind::Print ? printed.size() - before + 1 : 0; // and its newline
  apply(c, std::move(t), bytes, undo);
  return {c.stopped() ? StepStatus::Stopped : StepStatus::Stepped, found.rule, action};
}

namespace {

template <class E>
constexpr std::size_t effect_kind = index_in<E, Effect>();

Value bind(Config& c, Slot x, Value v) { return std::exchange(c.stack[c.base + x], v); }

void enter(Config& c, const ResolvedVersion* code, Pc pc, std::size_t base) {
  c.code = code;
  c.pc = pc;
  c.base = base;
}

// Applies one effect; `u`, if not null, receives what it overwrites.
struct Applier {
  Config& c;
  Undo* u;

  void saved(Slot x, Value old) {
    if (u) u->slot = x, u->old = old;
  }
  void save_window() {
    if (u) u->window.assign(c.stack.begin() + static_cast<std::ptrdiff_t>(c.base), c.stack.end());
  }

  // The current frame ends, and what it counted on with it.
  void drop_watches() {
    if (c.watches.empty()) return;
    std::vector<Watch> top = c.watches.take_top(c.frames.size());
    if (u) u->watches = std::move(top);
  }

  void operator()(effect::Move&& e) { c.pc = e.to; }
  void operator()(effect::Bind&& e) {
    saved(e.x, bind(c, e.x, e.v));
    ++c.pc;
  }
  void operator()(effect::Unbind&& e) {
    saved(e.x, bind(c, e.x, Value::unbound()));
    ++c.pc;
  }
  void operator()(effect::Allocate&& e) {
    if (e.elements.size() != e.length) e.elements.resize(e.length);
    saved(e.x, bind(c, e.x, Value(c.heap.allocate(std::move(e.elements)))));
    ++c.pc;
  }
  void operator()(effect::Store&& e) {
    const Value old = c.heap.store(e.array, e.index, e.v);
    if (u) u->array = e.array, u->index = e.index, u->old = old;
    if (old != e.v) {
      const auto before = c.watches.change({e.array, e.index}, c.steps);
      if (u) u->last_change = before;
    }
    ++c.pc;
  }
  void operator()(effect::Push&& e) {
    c.frames.push_back({c.code, c.pc + 1, e.result, c.base});
    const std::size_t base = c.stack.size();
    c.stack.resize(base + e.callee->slots.size(), Value::unbound());
    std::ranges::copy(e.arguments, c.stack.begin() + static_cast<std::ptrdiff_t>(base));
    enter(c, e.callee, 0, base);
    ++c.calls;
  }
  void operator()(effect::Pop&& e) {
    save_window();
    drop_watches();
    c.stack.resize(c.base);
    const Continuation k = c.frames.back();
    c.frames.pop_back();
    enter(c, k.code, k.pc, k.base);
    saved(k.result, bind(c, k.result, e.v));
    c.returned = true;
  }
  void operator()(effect::Replace&& e) {
    save_window();
    drop_watches();
    if (u) u->frames = e.to.frames.size() - 1, u->blocks = e.to.blocks.size();
    for (auto& block : e.to.blocks) c.heap.allocate(std::move(block));
    c.stack.resize(c.base);
    for (const NewFrame& f : e.to.frames) {
      const std::size_t base = c.stack.size();
      c.stack.insert(c.stack.end(), f.env.begin(), f.env.end());
      if (&f != &e.to.frames.back())
        c.frames.push_back({f.code, f.pc, f.result, base});
      else
        enter(c, f.code, f.pc, base);
    }
  }
  void operator()(effect::MoveInto&& e) {
    const std::size_t callers = e.with.size() - 1;
    const auto kept = c.frames.end() - static_cast<std::ptrdiff_t>(callers);
    const std::size_t base = callers > 0 ? kept->base : c.base;
    const auto window = c.stack.begin() + static_cast<std::ptrdiff_t>(base);
    if (u) {
      u->window.assign(window, c.stack.end());
      u->callers.assign(kept, c.frames.end());
      u->base = c.base;
    }
    std::vector<Value> values;
    for (std::size_t n = 0; n <= callers; ++n) {
      const Env env =
          n == 0 ? c.env()
                 : c.stack.data() + (c.frames.end() - static_cast<std::ptrdiff_t>(n))->base;
      for (const Slot from : e.with[n]) values.push_back(env[from]);
      // They are about positions of the versions that are left.
      std::vector<Watch> watches = c.watches.take_top(c.frames.size() - n);
      if (u) u->watches.insert(u->watches.begin(), watches.begin(), watches.end());
    }
    c.frames.erase(kept, c.frames.end());
    values.resize(e.code->slots.size(), Value::unbound());
    c.stack.resize(base);
    c.stack.insert(c.stack.end(), values.begin(), values.end());
    enter(c, e.code, 0, base);
  }
  void operator()(effect::Halt&&) { c.code = nullptr; }
  void operator()(effect::SetWatches&& e) {
    const auto top = c.watches.of_top(c.frames.size());
    if (u) u->watches.assign(top.begin(), top.end());
    for (const WatchedElement& one : e.elements) {
      const bool first = c.watches.set({c.frames.size(), c.pc, one.guard, one.cell, c.steps});
      if (u && first) u->first_watched.push_back(one.cell);
    }
    ++c.pc;
  }
};

void undo_store(Config& c, const Undo& u) {
  c.heap.store(u.array, u.index, u.old);
  if (u.last_change) c.watches.change({u.array, u.index}, *u.last_change);
}

void undo_set_watches(Config& c, const Undo& u) {
  c.watches.take_top(c.frames.size());
  c.watches.put_back(u.watches);
  for (const ElementCell& cell : u.first_watched) c.watches.forget(cell);
}

void undo_pop(Config& c, const Undo& u) {
  bind(c, u.slot, u.old);
  c.frames.push_back({c.code, c.pc, u.slot, c.base});
  c.base = c.stack.size();
  c.stack.insert(c.stack.end(), u.window.begin(), u.window.end());
  c.watches.put_back(u.watches);
}

void undo_replace(Config& c, const Undo& u) {
  for (std::size_t i = 0; i < u.blocks; ++i) c.heap.undo_allocate();
  if (u.frames > 0) {
    c.base = c.frames[c.frames.size() - u.frames].base;
    c.frames.resize(c.frames.size() - u.frames);
  }
  c.stack.resize(c.base);
  c.stack.insert(c.stack.end(), u.window.begin(), u.window.end());
  c.watches.put_back(u.watches);
}

void undo_move_into(Config& c, const Undo& u) {
  c.stack.resize(c.base);
  c.stack.insert(c.stack.end(), u.window.begin(), u.window.end());
  c.frames.insert(c.frames.end(), u.callers.begin(), u.callers.end());
  c.base = u.base;
  c.watches.put_back(u.watches);
}

void undo_push(Config& c) {
  c.stack.resize(c.base);
  c.base = c.frames.back().base;
  c.frames.pop_back();
  --c.calls;
}

} // namespace

void apply(Config& c, Transition&& t, std::uint64_t printed, Undo* u) {
  if (u) {
    u->effect = t.effect.index();
    u->code = c.code;
    u->pc = c.pc;
    u->opportunities = c.opportunities;
    u->input_position = c.input_position;
    u->output_bytes = c.output_bytes;
    u->returned = c.returned;
    u->events = c.events;
    u->grown = c.grown;
  }
  if (c.growth != nullptr) c.growth->count(c, t.effect);
  ++c.steps;
  c.output_bytes += printed;
  c.input_position += t.action.kind == ActionKind::Read;
  if (t.opportunity) {
    ++c.opportunities;
    c.returned = false;
  }
  if (t.action.kind == ActionKind::Stop) c.result = t.action.value;
  std::visit(Applier{c, u}, std::move(t.effect));
}

void undo(Config& c, Undo&& u) {
  switch (u.effect) {
  case effect_kind<effect::Bind>:
  case effect_kind<effect::Unbind>: bind(c, u.slot, u.old); break;
  case effect_kind<effect::Allocate>:
    bind(c, u.slot, u.old);
    c.heap.undo_allocate();
    break;
  case effect_kind<effect::Store>: undo_store(c, u); break;
  case effect_kind<effect::Push>: undo_push(c); break;
  case effect_kind<effect::Pop>: undo_pop(c, u); break;
  case effect_kind<effect::Replace>: undo_replace(c, u); break;
  case effect_kind<effect::MoveInto>: undo_move_into(c, u); break;
  case effect_kind<effect::SetWatches>: undo_set_watches(c, u); break;
  default: // Move, Halt
    break;
  }
  c.code = u.code;
  c.pc = u.pc;
  c.opportunities = u.opportunities;
  c.input_position = u.input_position;
  c.output_bytes = u.output_bytes;
  c.returned = u.returned;
  c.events = u.events;
  c.grown = u.grown;
  c.result = Value();
  --c.steps;
}

} // namespace sourir
