#include "native/engine/runtime_calls.h"

#include "native/deopt/materialize.h"
#include "native/engine/machine.h"
#include "sourir/semantics/resolved.h"

using namespace sourir;
using namespace sourir::native;

namespace {

constexpr NativeResult kNone{0, kNoValue};

Value value(std::uint64_t bits, std::uint64_t tag) {
  return Value::of_bits(bits, static_cast<Tag>(tag));
}

NativeResult result(Value v) { return {v.bits(), static_cast<std::uint64_t>(v.tag())}; }
NativeResult result(const EvalResult& r) { return r ? result(r.value) : kNone; }
NativeResult result(Array* a) { return a ? result(value_of(a)) : kNone; }

bool accesses(Value array, Value index) {
  return array.is(Tag::Array) && index.is(Tag::Int) && index.bits() < array_of(array)->length;
}

} // namespace

// Functions that may run the interpreter pass their frame, which links to that of their caller.
extern "C" {

NativeResult rt_binary(Machine*, std::uint64_t op, std::uint64_t bits_a, std::uint64_t tag_a,
                       std::uint64_t bits_b, std::uint64_t tag_b) {
  return result(
      apply_binary(static_cast<BinaryOp>(op), value(bits_a, tag_a), value(bits_b, tag_b)));
}

NativeResult rt_unary(Machine*, std::uint64_t op, std::uint64_t bits, std::uint64_t tag) {
  return result(apply_unary(static_cast<UnaryOp>(op), value(bits, tag)));
}

NativeResult rt_load(std::uint64_t array_bits, std::uint64_t array_tag, std::uint64_t index_bits,
                     std::uint64_t index_tag) {
  const Value array = value(array_bits, array_tag);
  if (!accesses(array, value(index_bits, index_tag))) return kNone;
  return result(sourir::native::Heap::load(array_of(array), index_bits));
}

NativeResult rt_store(Machine* m, std::uint64_t array_bits, std::uint64_t array_tag,
                      const Value* index, const Value* stored) {
  m->check_stack(__builtin_frame_address(0));
  const Value array = value(array_bits, array_tag);
  if (!accesses(array, *index) || !m->heap().store(array_of(array), index->bits(), *stored))
    return kNone;
  return {0, 0};
}

std::uint64_t rt_elements_are(Machine*, std::uint64_t array_bits, std::uint64_t tag) {
  const auto* array = reinterpret_cast<const Array*>(array_bits);
  return sourir::native::Heap::elements_are(array, static_cast<Tag>(tag)) ? 1 : 0;
}

NativeResult rt_allocate(Machine* m, std::uint64_t length_bits, std::uint64_t length_tag) {
  m->check_stack(__builtin_frame_address(0));
  const EvalResult n = array_length(value(length_bits, length_tag));
  return n ? result(m->heap().allocate(n.value.bits())) : kNone;
}

NativeResult rt_allocate_of(Machine* m, const Value* elements, std::uint64_t count) {
  m->check_stack(__builtin_frame_address(0));
  return result(m->heap().allocate(std::span(elements, count)));
}

NativeResult rt_print(Machine* m, std::uint64_t bits, std::uint64_t tag) {
  m->check_stack(__builtin_frame_address(0));
  return m->print(value(bits, tag)) ? NativeResult{0, 0} : kNone;
}

NativeResult rt_read(Machine* m) {
  m->check_stack(__builtin_frame_address(0));
  return result(m->read());
}

NativeResult rt_call(Machine* m, std::int64_t depth, const Value* callee, const Value* arguments,
                     std::uint64_t count) {
  m->check_stack(__builtin_frame_address(0));
  const NativeCaller caller{depth, __builtin_frame_address(0), false};
  const std::optional<Value> v = m->call(caller, *callee, {arguments, count});
  return v ? result(*v) : kNone;
}

void rt_dispatched_call(Machine* m, const Value* arguments, FunctionCell* callee) {
  m->check_stack(__builtin_frame_address(0));
  m->dispatched_call(*callee, arguments);
}

void rt_stop(Machine* m, std::uint64_t bits, std::uint64_t tag) { m->stop(value(bits, tag)); }

void rt_out_of_fuel(Machine* m, const ResolvedVersion* code, std::uint64_t pc, Value* slots) {
  m->out_of_fuel(*code, static_cast<Pc>(pc), slots, {0, __builtin_frame_address(0), true});
}

void rt_dropped_exit(Machine* m) { m->dropped_exit(); }

void rt_set_watchpoint(Machine* m, Watchpoint* watchpoint, std::uint64_t array_bits) {
  m->heap().set_watchpoint(*watchpoint, reinterpret_cast<Array*>(array_bits));
}
void rt_entered(Machine* m, const ResolvedVersion* code) { m->entered(*code); }

std::uint64_t rt_poll_sample(Machine* m, profiler::SampledCode* code, std::uint64_t bits) {
  m->check_stack(__builtin_frame_address(0));
  return static_cast<std::uint64_t>(m->poll_sample(*code, static_cast<std::uint32_t>(bits)));
}

std::uint64_t rt_poll_loop(Machine* m, profiler::SampledCode* code, std::uint64_t bits) {
  m->check_stack(__builtin_frame_address(0));
  return static_cast<std::uint64_t>(m->poll_loop(*code, static_cast<std::uint32_t>(bits)));
}

std::uint64_t rt_poll_entry(Machine* m, profiler::SampledCode* code) {
  m->check_stack(__builtin_frame_address(0));
  return reinterpret_cast<std::uint64_t>(m->poll_entry(*code));
}

void rt_begin_instrumented(Machine* m, profiler::SampledCode* code) {
  m->begin_instrumented(*code);
}

std::uint64_t rt_take_sample(Machine* m, profiler::SampledCode* code, std::uint64_t bits) {
  m->check_stack(__builtin_frame_address(0));
  return static_cast<std::uint64_t>(
      m->take_sample(*code, __builtin_frame_address(0), static_cast<std::uint32_t>(bits)));
}

void rt_report_sample(Machine* m, profiler::SampledCode* code, const std::uint64_t* words) {
  m->report_sample(*code, words);
}

std::uint64_t rt_opportunity(Machine* m, const ResolvedVersion* code, std::uint64_t pc) {
  const Machine::AskedExit asked = m->ask_for_exit(code, static_cast<Pc>(pc));
  return static_cast<std::uint64_t>(asked.until_asked) * 2 + (asked.taken ? 1 : 0);
}

NativeResult rt_deoptimize(Machine* m, std::int64_t depth, const ResolvedVersion* code,
                           std::uint64_t pc, Value* slots) {
  m->check_stack(__builtin_frame_address(0));
  const NativeCaller caller{depth, __builtin_frame_address(0), true};
  return result(m->run_after(
      {DeoptReason::Exit, code, static_cast<Pc>(pc), exit_at(*code, static_cast<Pc>(pc))}, slots,
      caller));
}

NativeResult rt_bailout(Machine* m, std::int64_t depth, const ResolvedVersion* code,
                        std::uint64_t pc, Value* slots) {
  m->check_stack(__builtin_frame_address(0));
  const NativeCaller caller{depth, __builtin_frame_address(0), true};
  return result(m->run_after({DeoptReason::Bailout, code, static_cast<Pc>(pc)}, slots, caller));
}

NativeResult rt_deoptimize_osr(Machine* m, std::int64_t, const ResolvedVersion* code,
                               std::uint64_t pc, Value* slots) {
  m->exit_osr_code(
      {DeoptReason::Exit, code, static_cast<Pc>(pc), exit_at(*code, static_cast<Pc>(pc))}, slots);
  return {0, kDeoptimized};
}

NativeResult rt_bailout_osr(Machine* m, std::int64_t, const ResolvedVersion* code, std::uint64_t pc,
                            Value* slots) {
  m->exit_osr_code({DeoptReason::Bailout, code, static_cast<Pc>(pc)}, slots);
  return {0, kDeoptimized};
}

NativeResult rt_tier_up_osr(Machine* m, std::int64_t, const ResolvedVersion* code, std::uint64_t pc,
                            Value* slots) {
  m->exit_osr_code({DeoptReason::TierUp, code, static_cast<Pc>(pc)}, slots);
  return {0, kDeoptimized};
}
}

namespace sourir::native {

std::span<const RuntimeCall> runtime_calls() {
  static const RuntimeCall kCalls[] = {
      {"rt_binary", reinterpret_cast<void*>(rt_binary), "Rpwwwww", true},
      {"rt_unary", reinterpret_cast<void*>(rt_unary), "Rpwww", true},
      {"rt_load", reinterpret_cast<void*>(rt_load), "Rwwww", true},
      {"rt_store", reinterpret_cast<void*>(rt_store), "Rpwwpp", true},
      {"rt_elements_are", reinterpret_cast<void*>(rt_elements_are), "wpww", true},
      {"rt_allocate", reinterpret_cast<void*>(rt_allocate), "Rpww", false},
      {"rt_allocate_of", reinterpret_cast<void*>(rt_allocate_of), "Rppw", false},
      {"rt_print", reinterpret_cast<void*>(rt_print), "Rpww", false},
      {"rt_read", reinterpret_cast<void*>(rt_read), "Rp", false},
      {"rt_call", reinterpret_cast<void*>(rt_call), "Rpwppw", false},
      {"rt_dispatched_call", reinterpret_cast<void*>(rt_dispatched_call), "vppp", false},
      {"rt_stop", reinterpret_cast<void*>(rt_stop), "vpww", true},
      {"rt_out_of_fuel", reinterpret_cast<void*>(rt_out_of_fuel), "vppwp", true},
      {"rt_dropped_exit", reinterpret_cast<void*>(rt_dropped_exit), "vp", true},
      {"rt_set_watchpoint", reinterpret_cast<void*>(rt_set_watchpoint), "vppw", true},
      {"rt_entered", reinterpret_cast<void*>(rt_entered), "vpp", false},
      {"rt_poll_sample", reinterpret_cast<void*>(rt_poll_sample), "wppw", true},
      {"rt_poll_loop", reinterpret_cast<void*>(rt_poll_loop), "wppw", true},
      {"rt_poll_entry", reinterpret_cast<void*>(rt_poll_entry), "wpp", true},
      {"rt_begin_instrumented", reinterpret_cast<void*>(rt_begin_instrumented), "vpp", true},
      {"rt_take_sample", reinterpret_cast<void*>(rt_take_sample), "wppw", true},
      {"rt_report_sample", reinterpret_cast<void*>(rt_report_sample), "vppp", true},
      {"rt_opportunity", reinterpret_cast<void*>(rt_opportunity), "wppw", true},
      {"rt_deoptimize", reinterpret_cast<void*>(rt_deoptimize), "Rpwpwp", true},
      {"rt_bailout", reinterpret_cast<void*>(rt_bailout), "Rpwpwp", true},
      {"rt_deoptimize_osr", reinterpret_cast<void*>(rt_deoptimize_osr), "Rpwpwp", true},
      {"rt_bailout_osr", reinterpret_cast<void*>(rt_bailout_osr), "Rpwpwp", true},
      {"rt_tier_up_osr", reinterpret_cast<void*>(rt_tier_up_osr), "Rpwpwp", true},
  };
  return kCalls;
}

} // namespace sourir::native
