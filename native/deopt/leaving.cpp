// Exits taken by the interpreter, and frames of native code that go on in it.
#include "native/deopt/evaluate.h"
#include "native/engine/machine.h"
#include "native/interpreter/dispatch.h"
#include "native/interpreter/handlers.h"
#include "sourir/analysis/mutant.h"

#include <algorithm>

namespace sourir::native {

bool Machine::wants_exit(const ResolvedVersion* code, Pc pc) {
  const bool leaves = schedule_.leaves(++opportunities_, registers.returned, code, pc);
  registers.returned = false;
  statistics.forced += leaves;
  forcing_ = leaves;
  return leaves;
}

// A continuation <I L x E> needs something that looks like a call before L.
Insn* Machine::waiting_at(Bytecode& code, Pc pc, Slot result) {
  auto& made = code.waiting[{pc, result}];
  if (!made) {
    made = std::make_unique<std::array<Insn, 2>>();
    auto& [call, go_on] = *made;
    call.site = pc == 0 ? &spare_ : &code.sites[pc - 1];
    go_on.site = &spare_;
    call.pc = pc - 1;
    call.x = result * static_cast<std::uint32_t>(sizeof(Value));
    go_on.pc = pc;
    const bool tiers = settings_.engine != NativeSettings::Engine::Baseline;
    go_on.run = tiers ? ops::go_on_tiered : ops::go_on;
    go_on.literal = reinterpret_cast<std::uint64_t>(code.entry(pc));
    ranges_[made->data()] = {made->data() + made->size(), &code};
  }
  return made->data();
}

Landing& Machine::landing(Bytecode& origin, Pc pc, const resolved::Exit& exit) {
  origin.landings.resize(origin.entries.size());
  std::unique_ptr<Landing>& known = origin.landings[pc];
  if (known && known->of == &exit) return *known;
  known = std::make_unique<Landing>();
  known->of = &exit;
  for (std::size_t i = exit.outer.size(); i-- > 0;) { // innermost first in the exit
    const resolved::OuterFrame& outer = exit.outer[i];
    Bytecode& code = bytecode(*outer.frame.code);
    known->frames.push_back({&code, waiting_at(code, outer.frame.pc, outer.result)});
  }
  Bytecode& code = bytecode(*exit.frame.code);
  known->frames.push_back({&code, code.entry(exit.frame.pc)});
  for (const Landing::Frame& frame : known->frames) known->bytes += frame.code->frame_bytes;
  return *known;
}

bool Machine::fits(const Landing& to, const char* base) const {
  return registers.frames + (to.frames.size() - 1) <= registers.frames_limit &&
         base + to.bytes <= registers.stack_limit;
}

// The frames stand at base.
Machine::Standing Machine::land(Landing& to, char* base) {
  Waiting* const first = registers.frames;
  for (const Landing::Frame& frame : std::span(to.frames).first(to.frames.size() - 1)) {
    const bool lost = mutant(108) && to.frames.size() > 2 && &frame == to.frames.data();
    if (!lost) *registers.frames++ = {frame.at, base};
    base += frame.code->frame_bytes;
  }
  if (mutant(107)) std::reverse(first, registers.frames);
  if (auto* const slots = reinterpret_cast<Value*>(base);
      mutant(101) && to.frames.back().code->code->slots.size() > 1)
    std::swap(slots[0], slots[1]);
  ++statistics.exits;
  forcing_ = false;
  Landing::Frame& innermost = to.frames.back();
  tiering_.entered(*innermost.code->code, innermost.at->pc, reinterpret_cast<const Value*>(base));
  return {innermost.code, innermost.at, base, &innermost.middle};
}

// The frames are made above everything that they may overwrite, then put into place.
Machine::Position Machine::leave(const resolved::Exit& exit, Insn* ip, char* base) {
  Bytecode& origin = bytecode_of(ip);
  Landing& to = landing(origin, ip->pc, exit);
  if (!fits(to, base)) limit(Limit::Depth, ip, base);
  values.top =
      reinterpret_cast<Value*>(base + std::max<std::uint64_t>(to.bytes, origin.frame_bytes));
  const Value* from = values.top;
  const std::span<const Value> env(reinterpret_cast<const Value*>(base), origin.code->slots.size());
  const RebuildFailure failure = materialize(heap, env, exit, values);
  if (failure.why != StuckReason::None) stuck(failure.why, ip, base);
  if (failure.limit != Limit::None) limit(failure.limit, ip, base);
  char* place = base;
  for (const Landing::Frame& frame : to.frames) {
    const std::size_t slots = frame.code->code->slots.size();
    std::copy(from, from + slots, reinterpret_cast<Value*>(place));
    from += slots;
    place += frame.code->frame_bytes;
  }
  const Standing on = land(to, base);
  if (notes_steps()) note_left(exit, *origin.code, ip->pc, on.base);
  return {on.ip, on.base};
}

namespace {

template <class F>
void for_each_slot(const resolved::Exit& exit, F&& f) {
  const auto use = [&](const resolved::Expr& e) {
    for (const resolved::Operand& operand : {e.a, e.b})
      if (operand.slot != resolved::kLiteral) f(operand.slot);
  };
  for (const resolved::Deferred& line : exit.with)
    match(
        line,
        [&](const resolved::Decl& i) {
          if (i.e) use(*i.e);
        },
        [&](const resolved::ArrayDecl& i) { use(i.length); },
        [&](const resolved::ArrayDef& i) { std::ranges::for_each(i.elements, use); },
        [&](const resolved::ArrayUpdate& i) { f(i.x), use(i.index), use(i.value); });
  const auto use_all = [&](const resolved::Frame& frame) {
    for (const resolved::Entry& entry : frame.varmap) use(entry.value);
  };
  use_all(exit.frame);
  for (const resolved::OuterFrame& outer : exit.outer) use_all(outer.frame);
}

} // namespace

// Copies the slots of a native frame to `base`; those that the exit uses, if there is one. (Where
// an exit fails somebody looks at its frame: what native code need not have kept is unbound.)
Machine::Position Machine::to_baseline(Bytecode& to, Pc pc, const Value* slots, char* base,
                                       const resolved::Exit* exit) {
  auto* const frame = reinterpret_cast<Value*>(base);
  const std::size_t count = to.code->slots.size(); // there is room behind the limit
  if (exit == nullptr) {
    std::copy(slots, slots + count, frame);
    if (mutant(101) && count > 1) std::swap(frame[0], frame[1]);
  } else {
    std::fill(frame, frame + count, Value::unbound());
    for_each_slot(*exit, [&](Slot slot) {
      if (slot < count) frame[slot] = slots[slot];
    });
  }
  return {to.entry(pc), base};
}

// The frames are made in place: those of native code are elsewhere, on the C stack.
Machine::Standing Machine::write_down(const Tiering::Departure& left, const Value* slots,
                                      char* base) {
  constexpr std::size_t kMostFrames = 64;
  if (mutant(109) && input_position_ > 0) --input_position_;
  Bytecode& origin = bytecode(*left.code);
  const resolved::Exit* const exit =
      left.exit != nullptr ? left.exit : tiering_.way_back(*left.code, left.pc);
  if (exit != nullptr) tick();
  const auto in_baseline = [&] { return to_baseline(origin, left.pc, slots, base, exit); };
  if (exit == nullptr) {
    const Position at = in_baseline();
    if (base + origin.frame_bytes > registers.stack_limit) limit(Limit::Depth, at.ip, at.base);
    values.top = reinterpret_cast<Value*>(base + origin.frame_bytes);
    if (notes_steps())
      note_resumed(*left.code, left.pc, base, registers.frames_limit - registers.frames);
    return {&origin, at.ip, at.base};
  }
  Landing& to = landing(origin, left.pc, *exit);
  if (!fits(to, base)) limit(Limit::Depth, in_baseline().ip, base);
  const std::span<const Value> env(slots, origin.code->slots.size());
  auto* const scratch = reinterpret_cast<Value*>(base + to.bytes);
  auto* const end = scratch + (exit->with.empty() ? 0 : env.size() + exit->made);
  if (to.frames.size() > kMostFrames || end > values.end()) { // rarely: with a copy
    const Position at = leave(*exit, in_baseline().ip, base);
    return {&bytecode_of(at.ip), at.ip, at.base};
  }
  std::array<Value*, kMostFrames> places;
  char* place = base;
  for (std::size_t i = 0; i < to.frames.size(); ++i) {
    places[i] = reinterpret_cast<Value*>(place);
    std::fill_n(places[i], to.frames[i].code->code->slots.size(), Value::unbound());
    place += to.frames[i].code->frame_bytes;
  }
  std::fill(scratch, end, Value::unbound());
  values.top = end; // what the block makes is seen by the collector
  const RebuildFailure failure =
      materialize(heap, env, *exit, std::span(places).first(to.frames.size()), scratch);
  if (failure.why != StuckReason::None) stuck(failure.why, in_baseline().ip, base);
  if (failure.limit != Limit::None) limit(failure.limit, in_baseline().ip, base);
  const Standing on = land(to, base);
  if (notes_steps()) note_left(*exit, *left.code, left.pc, on.base);
  return on;
}

void Machine::out_of_fuel(const ResolvedVersion& code, Pc pc, const Value* slots,
                          const FromNative& caller) {
  const Position at =
      to_baseline(bytecode(code), pc, slots, reinterpret_cast<char*>(values.top), nullptr);
  Boundary boundary{boundary_, registers.frames, caller.frame, true};
  boundary_ = &boundary;
  limit(Limit::Fuel, at.ip, at.base);
}

} // namespace sourir::native
