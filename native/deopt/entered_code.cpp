// Native code that is entered in the middle: for loops that run, and behind exits.
#include "native/engine/machine.h"
#include "native/engine/runtime_calls.h"
#include "native/interpreter/dispatch.h"
#include "sourir/analysis/mutant.h"
#include "sourir/semantics/iterations.h"

#include <algorithm>
#include <utility>

namespace sourir::native {

namespace {

constexpr std::uint64_t kLookEvery = 1024;

} // namespace

void Machine::polled_loop(Insn* ip, Pc head, char* base) {
  const std::int64_t went = refill(ip, base);
  Bytecode& code = bytecode_of(ip);
  Tiering::Entry entry =
      tiering_.loop(*code.code, head, went, reinterpret_cast<const Value*>(base));
  free_retired(ip);
  if (!has_room(entry, {&code, ip, base})) entry = {};
  if (entry.code != nullptr) {
    // What goes back to the head is counted; a branch at the head itself is done in native code.
    if (ip->pc != head || !is_back_edge(code.code->instrs[head], head)) tick();
    if (notes_steps() && entry.with != nullptr)
      note_moved(*code.code, head, *tiering_.added(*entry.code->code));
  }
  if (entry.code != nullptr && settings_.every_entry) registers.poll = 0;
  const Position to = run_entered(entry, {&code, ip, base}, 0);
  return next(to.ip, to.base, this);
}

void Machine::went_on(Insn* ip, Pc pc, char* base) {
  Bytecode& code = bytecode_of(ip);
  const Tiering::Entry entry =
      tiering_.continuation(*code.code, pc, reinterpret_cast<const Value*>(base));
  const Position to = run_entered(entry, {&code, ip, base}, 1);
  return next(to.ip, to.base, this);
}

Machine::Position Machine::run_entered(Tiering::Entry entry, Standing at, std::uint64_t chain) {
  while (entry.code != nullptr) {
    const std::optional<NativeResult> r = call_entered(entry, at);
    if (!r) break;
    if (r->tag != kLeft) return bind_result(Value::of_bits(r->bits, static_cast<Tag>(r->tag)));
    const Tiering::Entry from = entry;
    Tiering::Departure left = departure_;
    left.entered = &from;
    at = went_to_;
    // As at the end of a loop: exits may go round in circles.
    if (++exits_in_a_row_ % kLookEvery == 0 || fuel_ <= 0) look_around(at.ip, at.base);
    entry = behind(left, at, chain);
  }
  return {at.ip, at.base};
}

// Code for the place that was left for.
Tiering::Entry Machine::behind(Tiering::Departure left, const Standing& at, std::uint64_t& chain) {
  if (left.exit == nullptr) return tiering_.left(left);
  if (++chain == 2) ++statistics.cascades;
  statistics.longest_cascade = std::max(statistics.longest_cascade, chain);
  left.slots = reinterpret_cast<const Value*>(at.base);
  left.middle = at.middle;
  const Tiering::Entry on = tiering_.left(left);
  if (on.code != nullptr) ++statistics.exits_to_native;
  return on;
}

bool Machine::has_room(const Tiering::Entry& entry, const Standing& at) const {
  if (entry.with == nullptr) return true;
  const std::size_t bytes = entry.code->code->slots.size() * sizeof(Value);
  return at.base + at.code->frame_bytes + bytes <= registers.stack_limit;
}

// Empty: no room for it.
std::optional<NativeResult> Machine::call_entered(const Tiering::Entry& entry, const Standing& at) {
  const auto* slots = reinterpret_cast<const Value*>(at.base);
  values.top = reinterpret_cast<Value*>(at.base + at.code->frame_bytes);
  if (entry.with != nullptr) { // behind the frame, where the collector looks
    if (!has_room(entry, at)) return {};
    const std::size_t count = entry.code->code->slots.size();
    slots = values.top;
    for (const Slot from : *entry.with)
      *values.top++ = reinterpret_cast<const Value*>(at.base)[from];
    if (mutant(106) && !entry.with->empty() && values.top[-1].is(Tag::Int))
      values.top[-1] = Value(static_cast<std::int64_t>(values.top[-1].bits() - 1));
    for (std::size_t s = entry.with->size(); s < count; ++s) *values.top++ = Value::unbound();
  }
  Boundary boundary{boundary_, registers.frames, nullptr, false};
  boundary_ = &boundary;
  ++statistics.loops;
  char* const before = std::exchange(entered_base_, at.base);
  using Code = NativeResult (*)(std::int64_t, const Value*);
  const NativeResult r =
      reinterpret_cast<Code>(entry.code->entry)(registers.frames_limit - registers.frames, slots);
  entered_base_ = before;
  boundary_ = boundary.outer;
  return r;
}

void Machine::left_entered(const Tiering::Departure& left, const Value* slots) {
  went_to_ = write_down(left, slots, entered_base_);
  departure_ = left;
}

Value Machine::run_left(const Tiering::Departure& left, const Value* slots,
                        const FromNative& caller) {
  return run_below(caller, [&] {
    const Standing at = write_down(left, slots, reinterpret_cast<char*>(values.top));
    std::uint64_t chain = 0;
    const Tiering::Entry entry = behind(left, at, chain);
    return run_entered(entry, at, chain);
  });
}

Value Machine::run_from(Position from, const FromNative& caller) {
  return run_below(caller, [&] { return from; });
}

template <class F>
Value Machine::run_below(const FromNative& caller, F&& begin) {
  Registers& r = registers;
  Boundary boundary{boundary_, r.frames, caller.frame, caller.replaced, true};
  boundary_ = &boundary;
  Waiting* const limit = std::exchange(r.frames_limit, r.frames + 1 + caller.depth);
  Value* const top = values.top;
  Value result; // on the C stack, where the collector sees it
  *r.frames++ = {from_native_.data(), reinterpret_cast<char*>(&result)};
  interpret(begin());
  values.top = top;
  r.frames_limit = limit;
  boundary_ = boundary.outer;
  return result;
}

} // namespace sourir::native
