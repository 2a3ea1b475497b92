#include "sourir/stepper/step_view.h"

#include "sourir/semantics/growth.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/match.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

namespace sourir {

std::string reference_text(Value value, const ViewContext& v) {
  if (value.is(Tag::Array)) return fmt::format("@{}", value.as_array().index);
  return show(value, v.config().heap, v.names(), ~std::size_t{0});
}

std::string value_text(Value value, const ViewContext& v, std::size_t limit) {
  const Heap& heap = v.config().heap;
  if (!value.is(Tag::Array)) return show(value, heap, v.names(), limit);
  const std::uint32_t address = value.as_array().index;
  if (address >= heap.blocks.size()) // allocated by the step that is shown
    return fmt::format("@{}", address);
  return fmt::format("@{} {}", address, show(value, heap, v.names(), limit));
}

PlaceView view_place(const ViewContext& v, StepPosition at) {
  return {v.program.place(at), v.program.line(at), v.program.instruction(at)};
}

std::string view_end(const ViewContext& v) {
  const Config& c = v.config();
  const StepResult end = v.walker.end();
  switch (end.status) {
  case StepStatus::Stepped: break;
  case StepStatus::Stopped: return "the program has stopped with " + value_text(c.result, v);
  case StepStatus::Stuck: {
    const bool no_input = end.why == StuckReason::InputExhausted && !v.has_input;
    return fmt::format("stuck: {}: {}{}", name_of(end.why), describe(c, end).message,
                       no_input ? "; give the program something to read with --input FILE" : "");
  }
  case StepStatus::AtLimit:
    return fmt::format("limit: {}: {}", name_of(end.limit), describe(c, end).message);
  }
  return {};
}

HereView view_here(const ViewContext& v) {
  HereView here{v.config().steps, std::nullopt, {}, view_end(v)};
  if (v.config().stopped()) return here;
  here.at = view_place(v, v.walker.position());
  if (const Next found = next(v.config()); found.rule && here.end.empty())
    here.rule = found.rule->name;
  return here;
}

std::vector<VariableView> view_environment(const ViewContext& v, const ResolvedVersion& code,
                                           Env env, ValueText text) {
  std::vector<VariableView> out;
  for (Slot slot = 0; slot < code.slots.size(); ++slot)
    if (!env[slot].is(Tag::Unbound))
      out.push_back({std::string(v.names().text(code.slots[slot])), env[slot], text(env[slot], v)});
  return out;
}

StackFrameView view_frame(const ViewContext& v, std::uint64_t number, ValueText text) {
  const Config& c = v.config();
  if (number == 0) // nothing after stop
    return c.stopped() ? StackFrameView{}
                       : StackFrameView{0,
                                        view_place(v, v.walker.position()),
                                        {},
                                        view_environment(v, *c.code, c.env(), text)};
  const Continuation& k = c.frames[c.frames.size() - number];
  return {number, view_place(v, {k.code, k.pc}),
          std::string(v.names().text(k.code->slots[k.result])),
          view_environment(v, *k.code, c.stack.data() + k.base, text)};
}

StackView view_stack(const ViewContext& v, std::size_t most) {
  const Config& c = v.config();
  StackView stack{{}, c.stopped() ? 0 : c.frames.size() + 1};
  const auto text = [](Value value, const ViewContext& at) { return value_text(value, at, 40); };
  for (std::uint64_t number = 0; number < stack.total && number < most; ++number)
    stack.frames.push_back(view_frame(v, number, text));
  return stack;
}

std::vector<Address> reachable(const Config& c, std::size_t most, std::uint64_t budget, bool& cut) {
  std::vector<Address> found;
  std::vector<bool> seen(c.heap.blocks.size());
  const auto scan = [&](const Value* begin, const Value* end) {
    for (; begin != end && !cut; ++begin) {
      cut = budget-- == 0;
      if (!begin->is(Tag::Array) || seen[begin->as_array().index]) continue;
      seen[begin->as_array().index] = true;
      if (found.size() == most)
        cut = true;
      else
        found.push_back(begin->as_array());
    }
  };
  const auto scan_frame = [&](std::size_t base, std::size_t end) {
    scan(c.stack.data() + base, c.stack.data() + end);
  };
  cut = false;
  scan(&c.result, &c.result + 1);
  if (!c.stopped()) scan_frame(c.base, c.stack.size());
  std::size_t end = c.base;
  for (auto k = c.frames.rbegin(); k != c.frames.rend() && !c.stopped(); end = k++->base)
    scan_frame(k->base, end);
  for (std::size_t next = 0; next < found.size(); ++next) {
    const std::vector<Value>& block = c.heap.blocks[found[next].index];
    scan(block.data(), block.data() + block.size());
  }
  return found;
}

BlockView view_block(const ViewContext& v, Address address, std::size_t most_elements) {
  const std::vector<Value>& block = v.config().heap.blocks[address.index];
  BlockView view{address.index, block.size(), "["};
  for (std::size_t i = 0; i < block.size() && i < most_elements; ++i)
    view.elements += (i > 0 ? ", " : "") + reference_text(block[i], v);
  if (block.size() > most_elements)
    view.elements +=
        fmt::format("{}... {} elements in all", most_elements > 0 ? ", " : "", block.size());
  view.elements += "]";
  return view;
}

HeapView view_heap(const ViewContext& v, std::size_t most) {
  constexpr std::uint64_t kBudget = 2'000'000;
  HeapView view;
  for (const Address a : reachable(v.config(), most, kBudget, view.cut))
    view.blocks.push_back(view_block(v, a, 32));
  view.allocated = v.config().heap.blocks.size();
  view.bytes = v.config().heap.bytes;
  return view;
}

ListView view_source(const ViewContext& v, std::uint32_t line, std::uint32_t before,
                     std::uint32_t after) {
  const Source& source = v.program.source();
  const Config& c = v.config();
  const std::uint32_t here = c.stopped() ? 0 : v.program.line(v.walker.position());
  ListView view;
  const std::uint32_t first = line > before ? line - before : 1;
  for (std::uint32_t n = first; n <= source.lines() && n - first <= before + after; ++n) {
    std::uint32_t breakpoint = 0;
    if (!v.walker.breakpoints().empty())
      for (const StepPosition at : v.program.positions_on(n))
        breakpoint = std::max(breakpoint, v.walker.breakpoints().at(at));
    view.lines.push_back({n, std::string(source.line(n)), n == here, breakpoint});
  }
  return view;
}

// A line can be as long as the output limit.
static std::string shortened(std::string_view line) {
  constexpr std::size_t kMost = 10'000;
  if (line.size() <= kMost) return std::string(line);
  std::size_t end = kMost;
  while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80)
    --end; // not inside a UTF-8 sequence
  return fmt::format("{}... {} bytes in all", line.substr(0, end), line.size());
}

OutputView view_output(const ViewContext& v, std::size_t from, std::size_t most) {
  const std::string_view all = std::string_view(v.walker.output()).substr(from);
  OutputView view;
  view.total = static_cast<std::uint64_t>(std::ranges::count(all, '\n'));
  std::size_t end = all.size();
  std::deque<std::string> lines;
  while (end > 0 && lines.size() < most) {
    const std::size_t newline = end == 1 ? std::string_view::npos : all.rfind('\n', end - 2);
    const std::size_t begin = newline == std::string_view::npos ? 0 : newline + 1;
    lines.push_front(shortened(all.substr(begin, end - 1 - begin)));
    end = begin;
  }
  view.lines.assign(lines.begin(), lines.end());
  return view;
}

// --- The rule that fires next: its premises, and what it would change ----------------------------

namespace {

std::string version_name(const ViewContext& v, const ResolvedVersion& code) {
  return fmt::format("{}.{}", v.names().text(code.function), v.names().text(code.version));
}

std::string name_of_slot(const ViewContext& v, const ResolvedVersion& code, Slot x) {
  return std::string(v.names().text(code.slots[x]));
}

// "x := 3", or "x: 1 -> 3" where it was bound.
std::string binding(const ViewContext& v, const ResolvedVersion& code, Env env, Slot x,
                    Value value) {
  const std::string name = name_of_slot(v, code, x);
  if (env[x].is(Tag::Unbound)) return fmt::format("{} := {}", name, value_text(value, v));
  return fmt::format("{}: {} -> {}", name, value_text(env[x], v), value_text(value, v));
}

std::string arguments(const ViewContext& v, const effect::Push& e) {
  std::string out;
  for (std::size_t i = 0; i < e.arguments.size(); ++i)
    out += fmt::format("{}{} = {}", i > 0 ? ", " : " with ",
                       name_of_slot(v, *e.callee, static_cast<Slot>(i)),
                       value_text(e.arguments[i], v, 60));
  return out;
}

std::string fresh_array(const ViewContext& v, const effect::Allocate& e) {
  const std::string name = name_of_slot(v, *v.config().code, e.x);
  const std::size_t address = v.config().heap.blocks.size();
  if (e.elements.empty())
    return fmt::format("{} := @{}, a new array of {} elements, all nil", name, address, e.length);
  std::string out = fmt::format("{} := @{} [", name, address);
  for (std::size_t i = 0; i < e.elements.size() && i < 16; ++i)
    out += (i > 0 ? ", " : "") + reference_text(e.elements[i], v);
  return out + (e.elements.size() > 16 ? ", ...], a new array" : "], a new array");
}

std::string popped(const ViewContext& v, const effect::Pop& e) {
  const Config& c = v.config();
  const Continuation& k = c.frames.back();
  return fmt::format("returns to {}, {}", v.program.place({k.code, k.pc}),
                     binding(v, *k.code, c.stack.data() + k.base, k.result, e.v));
}

std::string replaced(const ViewContext& v, const effect::Replace& e) {
  const NewFrame& top = e.to.frames.back();
  std::string out = fmt::format("deoptimizes {} to {}", version_name(v, *v.config().code),
                                v.program.place({top.code, top.pc}));
  if (const std::size_t outer = e.to.frames.size() - 1; outer > 0)
    out += fmt::format(" and {} outer frame{}", outer, outer > 1 ? "s" : "");
  return out;
}

std::string effect_text(const ViewContext& v, const Effect& effect) {
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
      [&](const effect::MoveInto& e) {
        return fmt::format("{} to {}, an added version",
                           e.with.size() == 1 ? "moves"
                                              : fmt::format("{} frames move", e.with.size()),
                           v.program.place({e.code, 0}));
      },
      [&](const effect::Halt&) { return std::string("ends the program"); },
      [&](const effect::SetWatches& e) {
        std::string out = "goes on, watching";
        for (const WatchedElement& one : e.elements)
          out += fmt::format("{} @{}[{}]", &one == &e.elements.front() ? "" : ",",
                             one.cell.array.index, one.cell.index);
        return out;
      });
}

// The effect, after the action if that can be observed.
std::string transition_text(const ViewContext& v, const Transition& t) {
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
void view_contexts(const ViewContext& v, const effect::Push& e, std::vector<PremiseView>& out) {
  if (const GrowthSchedule* const growth = v.config().growth;
      growth != nullptr && growth->entered(v.config(), e.callee->function) != nullptr) {
    out.push_back({fmt::format("Dispatch: the schedule enters {}, an added version",
                               version_name(v, *e.callee))});
    return;
  }
  for (const ResolvedVersion* code : v.program.linked().function(e.callee->function)->dispatch) {
    std::string when;
    for (const Expr& guard : code->source->when)
      when += fmt::format("{}{}", when.empty() ? "" : ", ",
                          v.program.expression(print(guard, v.names())));
    const bool entered = code == e.callee;
    if (!when.empty())
      out.push_back({fmt::format("Dispatch: context of {}: {} -> {}", version_name(v, *code), when,
                                 entered)});
    if (entered) return;
  }
}

// The guards that are not tested, and why the frame leaves at an invalidation point.
void view_watches(const ViewContext& v, std::vector<PremiseView>& out) {
  const Config& c = v.config();
  if (const auto* const assume = std::get_if<resolved::Assume>(&c.instr()))
    for (std::uint32_t k = 0; k < assume->guards.size(); ++k)
      if (is_watched(c, k))
        out.push_back({fmt::format("{} is watched: it counts as true, untested",
                                   v.program.expression(guard_text(c, c.pc, k)))});
  for (const Watch& watch : fallen_watches(c))
    out.push_back({fmt::format("the watch of {} has fallen: @{}[{}] has changed since step {}",
                               v.program.place({c.code, watch.pc}), watch.cell.array.index,
                               watch.cell.index, watch.set)});
}

std::vector<PremiseView> view_premises(const ViewContext& v, const Next& found) {
  std::vector<PremiseView> out;
  if (found.rule != nullptr && is_growth(*found.rule)) {
    out.push_back({fmt::format("the schedule has this step at event {}", v.config().events)});
    return out;
  }
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
  view_watches(v, out);
  if (!found.rule) return out;
  const Transition& t = *found.derivation.transition;
  if (const auto* push = std::get_if<effect::Push>(&t.effect)) view_contexts(v, *push, out);
  if (t.opportunity) {
    const bool taken = std::holds_alternative<effect::Replace>(t.effect);
    out.push_back(
        {fmt::format("the schedule {} at opportunity {}",
                     taken ? "takes the exit" : "takes no exit", v.config().opportunities + 1)});
  }
  return out;
}

// The frames and blocks that a deoptimization would materialize.
void view_replacement(const ViewContext& v, const NewFrames& to, RuleView& view) {
  const auto text = [](Value value, const ViewContext& at) { return value_text(value, at); };
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

void view_refusals(const ViewContext& v, RuleView& view) {
  for (const RuleRow& row : rules_for(v.config().instr().index())) {
    const Derivation d = row.rule(v.config());
    if (!d && d.why != StuckReason::None)
      view.refused.push_back(fmt::format("{} does not apply: {}", row.name, name_of(d.why)));
    else if (!d && d.limit != Limit::None)
      view.refused.push_back(fmt::format("{} reaches the {} limit", row.name, name_of(d.limit)));
  }
}

} // namespace

StepLine view_step(const ViewContext& v) {
  const Next found = next(v.config());
  return {v.config().steps + 1, found.rule ? std::string(found.rule->name) : std::string(),
          v.program.place(v.walker.position()),
          found.rule ? transition_text(v, *found.derivation.transition) : std::string()};
}

RuleView view_rule(const ViewContext& v) {
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

// --- A whole configuration -----------------------------------------------------------------------

namespace {

constexpr std::size_t kFrames = 50, kBlocks = 50, kElements = 50, kLines = 20;

// FNV-1a.
class ViewDigest {
public:
  void add(std::uint64_t word) {
    for (int shift = 0; shift < 64; shift += 8) byte(static_cast<unsigned char>(word >> shift));
  }
  void add(Value value) { add(static_cast<std::uint64_t>(value.tag())), add(bits(value)); }
  void add(std::string_view text) {
    for (const char c : text) byte(static_cast<unsigned char>(c));
  }
  std::string text() const { return fmt::format("{:016x}", state_); }

private:
  static std::uint64_t bits(Value value) { return static_cast<std::uint64_t>(value.as_int()); }
  void byte(unsigned char b) { state_ = (state_ ^ b) * 0x100000001b3; }

  std::uint64_t state_ = 0xcbf29ce484222325;
};

std::string digest(const ViewContext& v, const std::vector<Address>& heap) {
  const Config& c = v.config();
  ViewDigest all;
  all.add(v.program.place(v.walker.position()));
  for (const Continuation& k : c.frames)
    all.add(v.program.place({k.code, k.pc})), all.add(k.result), all.add(k.base);
  for (const Value value : c.stack) all.add(value);
  for (const Address a : heap) {
    all.add(a.index), all.add(c.heap.blocks[a.index].size());
    for (const Value value : c.heap.blocks[a.index]) all.add(value);
  }
  all.add(v.walker.output());
  return all.text();
}

} // namespace

StateView view_state(const ViewContext& v, bool whole) {
  const Config& c = v.config();
  const auto most = [&](std::size_t n) { return whole ? ~std::size_t{0} : n; };
  StateView state{.here = view_here(v)};
  OutputView printed = view_output(v, 0, most(kLines));
  bool cut = printed.total > printed.lines.size();
  state.printed = std::move(printed.lines);
  state.input = c.input_position;
  state.opportunities = c.opportunities;
  state.returned = c.returned;
  if (c.stopped()) return state;
  state.environment = view_environment(v, *c.code, c.env(), reference_text);
  for (std::uint64_t n = 1; n <= c.frames.size() && n <= most(kFrames); ++n)
    state.continuations.push_back(view_frame(v, n, reference_text));
  cut = cut || state.continuations.size() < c.frames.size();
  bool unbounded = false;
  std::vector<Address> heap = reachable(c, ~std::size_t{0}, ~std::uint64_t{0}, unbounded);
  std::ranges::sort(heap, {}, &Address::index);
  for (const Address a : heap) {
    if (state.heap.size() == most(kBlocks)) break;
    cut = cut || c.heap.blocks[a.index].size() > most(kElements);
    state.heap.push_back(view_block(v, a, most(kElements)));
  }
  if (cut || state.heap.size() < heap.size()) state.left_out = digest(v, heap);
  return state;
}

} // namespace sourir
