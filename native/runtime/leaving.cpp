// Exits taken by the interpreter, and frames of native code that go on in it.
#include "native/baseline/dispatch.h"
#include "native/baseline/handlers.h"
#include "native/runtime/evaluate.h"
#include "native/runtime/machine.h"

#include <algorithm>

namespace sourir::native {

bool Machine::wants_exit(const InstrStream* code, Pc pc) {
  const bool leaves = schedule_.leaves(++opportunities_, registers.returned, code, pc);
  registers.returned = false;
  statistics.forced += leaves;
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
    go_on.run = ops::go_on;
    go_on.literal = reinterpret_cast<std::uint64_t>(code.entry(pc));
    ranges_[made->data()] = {made->data() + made->size(), &code};
  }
  return made->data();
}

namespace {

std::uint64_t total_bytes(Machine& m, const code::Exit& exit) {
  std::uint64_t bytes = m.bytecode(*exit.frame.code).frame_bytes;
  for (const code::OuterFrame& outer : exit.outer)
    bytes += m.bytecode(*outer.frame.code).frame_bytes;
  return bytes;
}

} // namespace

// The frames are made above everything that they may overwrite, then put into place.
Machine::Position Machine::leave(const code::Exit& exit, Insn* ip, char* base) {
  const Bytecode& origin = bytecode_of(ip);
  const std::uint64_t total = total_bytes(*this, exit);
  if (registers.frames + exit.outer.size() > registers.frames_limit ||
      base + total > registers.stack_limit)
    limit(Limit::Depth, ip, base);
  values.top = reinterpret_cast<Value*>(base + std::max<std::uint64_t>(total, origin.frame_bytes));
  const Value* from = values.top;
  const std::span<const Value> env(reinterpret_cast<const Value*>(base), origin.code->slots.size());
  const RebuildFailure failure = materialize(heap, env, exit, values);
  if (failure.why != StuckReason::None) stuck(failure.why, ip, base);
  if (failure.limit != Limit::None) limit(failure.limit, ip, base);
  const auto place = [&](const code::Frame& frame) -> Bytecode& {
    const std::size_t slots = frame.code->slots.size();
    std::copy(from, from + slots, reinterpret_cast<Value*>(base));
    from += slots;
    return bytecode(*frame.code);
  };
  for (std::size_t i = exit.outer.size(); i-- > 0;) { // innermost first in the exit
    const code::OuterFrame& outer = exit.outer[i];
    Bytecode& code = place(outer.frame);
    *registers.frames++ = {waiting_at(code, outer.frame.pc, outer.result), base};
    base += code.frame_bytes;
  }
  Bytecode& code = place(exit.frame);
  tiering_.entered(*code.code, exit.frame.pc, reinterpret_cast<const Value*>(base));
  ++statistics.exits;
  if (notes_steps()) note_left(exit, *origin.code, ip->pc, base);
  return {code.entry(exit.frame.pc), base};
}

namespace {

template <class F>
void for_each_slot(const code::Exit& exit, F&& f) {
  const auto use = [&](const code::Expr& e) {
    for (const code::Operand& operand : {e.a, e.b})
      if (operand.slot != code::kLiteral) f(operand.slot);
  };
  for (const code::Deferred& line : exit.with)
    match(
        line,
        [&](const code::Decl& i) {
          if (i.e) use(*i.e);
        },
        [&](const code::ArrayDecl& i) { use(i.length); },
        [&](const code::ArrayDef& i) { std::ranges::for_each(i.elements, use); },
        [&](const code::ArrayUpdate& i) { f(i.x), use(i.index), use(i.value); });
  const auto use_all = [&](const code::Frame& frame) {
    for (const code::Entry& entry : frame.varmap) use(entry.value);
  };
  use_all(exit.frame);
  for (const code::OuterFrame& outer : exit.outer) use_all(outer.frame);
}

} // namespace

// Where an exit fails somebody looks at its frame: what native code need not have kept is unbound.
Machine::Position Machine::to_baseline(const InstrStream& code, Pc pc, const Value* slots,
                                       const FromNative& caller, const code::Exit* exit) {
  Bytecode& to = bytecode(code);
  char* const base = reinterpret_cast<char*>(values.top);
  const std::size_t count = code.slots.size(); // there is room behind the limit
  if (exit == nullptr) {
    std::copy(slots, slots + count, values.top);
  } else {
    std::fill(values.top, values.top + count, Value::unbound());
    for_each_slot(*exit, [&](Slot slot) {
      if (slot < count) values.top[slot] = slots[slot];
    });
  }
  if (base + to.frame_bytes > registers.stack_limit) {
    Boundary boundary{boundary_, registers.frames, caller.frame, true};
    boundary_ = &boundary;
    limit(Limit::Depth, to.entry(pc), base);
  }
  return {to.entry(pc), base};
}

void Machine::out_of_fuel(const InstrStream& code, Pc pc, const Value* slots,
                          const FromNative& caller) {
  const Position at = to_baseline(code, pc, slots, caller);
  Boundary boundary{boundary_, registers.frames, caller.frame, true};
  boundary_ = &boundary;
  limit(Limit::Fuel, at.ip, at.base);
}

} // namespace sourir::native
