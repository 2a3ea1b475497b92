// Between native code and the interpreter.
#include "native/engine/machine.h"
#include "native/engine/runtime_calls.h"
#include "native/interpreter/dispatch.h"
#include "sourir/analysis/mutant.h"

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

void Machine::call_hot(FunctionCell& f, Insn* ip, char* base) {
  if (registers.frames == registers.frames_limit) limit(Limit::Depth, ip, base);
  if (--registers.poll < 0) return polled(ip, base);
  if (f.entry.load(std::memory_order_acquire) == nullptr)
    tiering_.hot(f, reinterpret_cast<const Value*>(base + ip->a));
  free_retired(ip);
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
  if (++f.calls >= f.hot_at) {
    tiering_.hot(f, arguments.data());
    Boundary boundary{boundary_, registers.frames, caller.frame, false};
    boundary_ = &boundary;
    free_retired(nullptr);
    boundary_ = boundary.outer;
  }
  std::ranges::copy(arguments, frame);
  return run_from({f.baseline, base}, caller);
}

} // namespace sourir::native
