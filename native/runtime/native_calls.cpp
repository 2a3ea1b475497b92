// Between native code and the interpreter.
#include "native/baseline/dispatch.h"
#include "native/runtime/machine.h"
#include "native/runtime/runtime_calls.h"
#include "sourir/semantics/rounds.h"

#include <algorithm>
#include <array>
#include <utility>

namespace sourir::native {

namespace {

using Caller = NativeResult (*)(void* entry, std::int64_t depth, const Value* arguments);

template <std::size_t n>
NativeResult call_with(void* entry, std::int64_t depth, const Value* v) {
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    using Word = std::uint64_t;
    [[maybe_unused]] const auto word = [&](std::size_t at) {
      return at % 2 == 0 ? v[at / 2].bits() : static_cast<Word>(v[at / 2].tag());
    };
    using Entry = NativeResult (*)(std::int64_t, std::conditional_t<i == i, Word, Word>...);
    return reinterpret_cast<Entry>(entry)(depth, word(i)...);
  }(std::make_index_sequence<2 * n>());
}

constexpr auto kCallers = []<std::size_t... n>(std::index_sequence<n...>) {
  return std::array<Caller, sizeof...(n)>{call_with<n>...};
}(std::make_index_sequence<kMostNativeParameters + 1>());

Value value_of(NativeResult r) { return Value::of_bits(r.bits, static_cast<Tag>(r.tag)); }

} // namespace

NativeResult Machine::call_native(void* entry, std::int64_t depth, const Value* arguments,
                                  std::uint32_t n) {
  return kCallers[n](entry, depth, arguments);
}

// As `return` does it.
Machine::Position Machine::bind_result(Value v) {
  const Waiting k = *--registers.frames;
  registers.returned = true;
  note(k.call, v.tag());
  put(k.base, k.call->x, v);
  return {k.call + 1, k.base};
}

Machine::Position Machine::called_native(void* entry, char* frame, std::uint32_t n) {
  auto* arguments = reinterpret_cast<Value*>(frame);
  values.top = arguments + n;
  Boundary boundary{boundary_, registers.frames, nullptr, false};
  boundary_ = &boundary;
  const Value v =
      value_of(call_native(entry, registers.frames_limit - registers.frames, arguments, n));
  boundary_ = boundary.outer;
  return bind_result(v);
}

void Machine::polled_loop(Insn* ip, Pc head, char* base) {
  const std::int64_t went = refill(ip, base);
  const Bytecode& code = bytecode_of(ip);
  const Tiering::LoopEntry entry =
      tiering_.loop(*code.code, head, went, reinterpret_cast<const Value*>(base));
  const Position to =
      entry.code == nullptr ? Position{ip, base} : entered_loop(entry, {ip, base}, head);
  return next(to.ip, to.base, this);
}

// The rest of the activation runs in native code; its result is bound.
Machine::Position Machine::entered_loop(const Tiering::LoopEntry& entry, Position at, Pc head) {
  char* const base = at.base;
  const Bytecode& from = bytecode_of(at.ip);
  const auto* slots = reinterpret_cast<const Value*>(base);
  values.top = reinterpret_cast<Value*>(base + from.frame_bytes);
  if (entry.with != nullptr) { // behind the frame, where the collector looks
    const std::size_t count = entry.code->code->slots.size();
    if (reinterpret_cast<char*>(values.top + count) > registers.stack_limit) return at;
    slots = values.top;
    for (const Slot s : *entry.with) *values.top++ = reinterpret_cast<Value*>(base)[s];
    for (std::size_t s = entry.with->size(); s < count; ++s) *values.top++ = Value::unbound();
  }
  // What goes back to the head is counted; a branch at the head itself is done in native code.
  if (at.ip->pc != head || !goes_back(from.code->instrs[head], head)) tick();
  if (notes_steps() && entry.with != nullptr)
    note_moved(*from.code, head, *tiering_.added(*entry.code->code));
  Boundary boundary{boundary_, registers.frames, nullptr, false};
  boundary_ = &boundary;
  using Entry = NativeResult (*)(std::int64_t, const Value*);
  const Value v = value_of(
      reinterpret_cast<Entry>(entry.code->entry)(registers.frames_limit - registers.frames, slots));
  boundary_ = boundary.outer;
  return bind_result(v);
}

void Machine::call_hot(FunctionCell& f, Insn* ip, char* base) {
  if (registers.frames == registers.frames_limit) limit(Limit::Depth, ip, base);
  if (--registers.poll < 0) return polled(ip, base);
  if (f.entry.load(std::memory_order_acquire) == nullptr)
    tiering_.hot(f, reinterpret_cast<const Value*>(base + ip->a));
  *registers.frames++ = {ip, base};
  ++f.calls;
  if (void* entry = f.entry.load(std::memory_order_acquire)) {
    const Position to = called_native(entry, base + ip->a, f.arity);
    return next(to.ip, to.base, this);
  }
  if (base + ip->a + f.frame_bytes > registers.stack_limit) {
    --registers.frames;
    limit(Limit::Depth, ip, base);
  }
  return next(f.baseline, base + ip->a, this);
}

Value Machine::run_from(Position from, const FromNative& caller, const code::Exit* exit) {
  Registers& r = registers;
  Boundary boundary{boundary_, r.frames, caller.frame, caller.replaced};
  boundary_ = &boundary;
  Waiting* const limit = std::exchange(r.frames_limit, r.frames + 1 + caller.depth);
  Value* const top = values.top;
  Value result; // on the C stack, where the collector sees it
  *r.frames++ = {from_native_.data(), reinterpret_cast<char*>(&result)};
  if (exit) {
    tick();
    from = leave(*exit, from.ip, from.base);
  }
  interpret(from);
  values.top = top;
  r.frames_limit = limit;
  boundary_ = boundary.outer;
  return result;
}

std::optional<Value> Machine::call(const FromNative& caller, Value callee,
                                   std::span<const Value> arguments) {
  if (caller.depth < 0 || !callee.is(Tag::Fun)) return {};
  FunctionCell& f = cells_[callee.bits()];
  if (f.arity != arguments.size()) return {};
  Value* const frame = values.top;
  if (void* entry = f.entry.load(std::memory_order_acquire)) {
    Boundary boundary{boundary_, registers.frames, caller.frame, false};
    boundary_ = &boundary;
    const Value v = value_of(call_native(entry, caller.depth, arguments.data(), f.arity));
    boundary_ = boundary.outer;
    return v;
  }
  char* const base = reinterpret_cast<char*>(frame);
  if (base + std::max<std::uint64_t>(f.frame_bytes, arguments.size_bytes()) > registers.stack_limit)
    return {};
  if (++f.calls >= f.hot_at) tiering_.hot(f, arguments.data());
  std::ranges::copy(arguments, frame);
  return run_from({f.baseline, base}, caller);
}

} // namespace sourir::native
