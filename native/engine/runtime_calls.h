// The runtime functions of native code, and their table: name in LLVM IR, address and type. All
// take the machine first and have the C calling convention. Errors and limits: the result has the
// tag kNoValue and nothing has happened; native code then bails out (rt_bailout), and the baseline
// executes the instruction and reports the error. So errors are described in one place.
// Threads: of the program.
#pragma once

#include "native/runtime/compiler_host.h"

#include <span>

namespace sourir::native {

class Machine;

extern "C" {
// op: BinaryOp, UnaryOp as numbers.
NativeResult rt_binary(Machine*, std::uint64_t op, std::uint64_t bits_a, std::uint64_t tag_a,
                       std::uint64_t bits_b, std::uint64_t tag_b);
NativeResult rt_unary(Machine*, std::uint64_t op, std::uint64_t bits, std::uint64_t tag);
// Any values: an error is kNoValue.
NativeResult rt_load(std::uint64_t array_bits, std::uint64_t array_tag, std::uint64_t index_bits,
                     std::uint64_t index_tag);
// As rt_load. The tag is kNoValue or 0.
NativeResult rt_store(Machine*, std::uint64_t array_bits, std::uint64_t array_tag,
                      const Value* index, const Value* value);
// Whether the elements of the array all have the type. 1 or 0.
std::uint64_t rt_elements_are(Machine*, std::uint64_t array_bits, std::uint64_t tag);
NativeResult rt_allocate(Machine*, std::uint64_t length_bits, std::uint64_t length_tag);
NativeResult rt_allocate_of(Machine*, const Value* elements, std::uint64_t count);
NativeResult rt_print(Machine*, std::uint64_t bits, std::uint64_t tag);
NativeResult rt_read(Machine*);
// A call of any value: of the callee's native code, or in the baseline. depth: return frames that
// the callee may still push.
NativeResult rt_call(Machine*, std::int64_t depth, const Value* callee, const Value* arguments,
                     std::uint64_t count);
// A dispatcher is entered with these arguments (DispatchTable::until_report).
void rt_dispatched_call(Machine*, const Value* arguments, FunctionCell* callee);
[[noreturn]] void rt_stop(Machine*, std::uint64_t bits, std::uint64_t tag);
// Ends the run: the code has no exits (CompileOptions::drops_exits).
[[noreturn]] void rt_dropped_exit(Machine*);
// Ends the run: the fuel, counted down at calls and back edges, is used up.
[[noreturn]] void rt_out_of_fuel(Machine*, const ResolvedVersion* code, std::uint64_t pc,
                                 Value* slots);
// Sets the watchpoint on the array: the element has the value of the watchpoint.
void rt_set_watchpoint(Machine*, Watchpoint* watchpoint, std::uint64_t array_bits);
// A call enters code of a version; requested by CompileOptions::entries.
void rt_entered(Machine*, const ResolvedVersion* code);
// Safepoints of sampled code (CompileRequest::sampled): something is requested; the event counter
// is used up. `bits`: the bits of SampledCode::request for this safepoint. Returns a
// profiler::Answer. The first: of instrumented code; the second: of other code at a back edge.
std::uint64_t rt_poll_sample(Machine*, profiler::SampledCode* code, std::uint64_t bits);
std::uint64_t rt_poll_loop(Machine*, profiler::SampledCode* code, std::uint64_t bits);
// The same at the entry of code that is not instrumented. Returns Answer::GoOn, Answer::Leave, or
// the address of the instrumented code that is entered instead.
std::uint64_t rt_poll_entry(Machine*, profiler::SampledCode* code);
// The entry of instrumented code that is entered for a sample.
void rt_begin_instrumented(Machine*, profiler::SampledCode* code);
std::uint64_t rt_take_sample(Machine*, profiler::SampledCode* code, std::uint64_t bits);
// The end of a sample. `words`: tags by slot; other words: none.
void rt_report_sample(Machine*, profiler::SampledCode* code, const std::uint64_t* words);
// Whether the schedule wants this exit (whose guards hold) to be taken: the lowest bit. The others:
// the new value of CompilerHost::until_asked.
std::uint64_t rt_opportunity(Machine*, const ResolvedVersion* code, std::uint64_t pc);
// Takes the exit of the assume or anchor at pc: its frames are materialized and run to their end.
// Returns the result of the activation. Slots that the exit does not use need not be filled.
NativeResult rt_deoptimize(Machine*, std::int64_t depth, const ResolvedVersion* code,
                           std::uint64_t pc, Value* slots);
// Continues at pc in the baseline: by the deopt map of an optimized version, where it has an entry
// there, otherwise in the same version. Returns the result of the activation.
NativeResult rt_bailout(Machine*, std::int64_t depth, const ResolvedVersion* code, std::uint64_t pc,
                        Value* slots);
// The same two in OSR code: materialize the frames and return the tag kDeoptimized.
NativeResult rt_deoptimize_osr(Machine*, std::int64_t depth, const ResolvedVersion* code,
                               std::uint64_t pc, Value* slots);
NativeResult rt_bailout_osr(Machine*, std::int64_t depth, const ResolvedVersion* code,
                            std::uint64_t pc, Value* slots);
// An exit of OSR code at the loop header pc, to the optimized code of that loop.
NativeResult rt_tier_up_osr(Machine*, std::int64_t depth, const ResolvedVersion* code,
                            std::uint64_t pc, Value* slots);
}

std::span<const RuntimeCall> runtime_calls();

} // namespace sourir::native
