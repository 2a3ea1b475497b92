// The functions of the runtime that native code calls: one row for each, with its name in LLVM IR,
// its address and its type. All take the machine first and have the C calling convention. The tag
// kNoValue as a result means that the operation has no value (an error, or a limit) and has had no
// effect; native code then bails out (rt_bailout), and the baseline executes the same instruction
// and reports the error. So errors are found and described in one place.
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
// Any array, any index.
NativeResult rt_load(Machine*, std::uint64_t array_bits, std::uint64_t array_tag,
                     std::uint64_t index_bits, std::uint64_t index_tag);
// The tag kNoValue or 0.
NativeResult rt_store(Machine*, std::uint64_t array_bits, std::uint64_t array_tag,
                      const Value* index, const Value* value);
NativeResult rt_allocate(Machine*, std::uint64_t length_bits, std::uint64_t length_tag);
NativeResult rt_allocate_of(Machine*, const Value* elements, std::uint64_t count);
NativeResult rt_print(Machine*, std::uint64_t bits, std::uint64_t tag);
NativeResult rt_read(Machine*);
// A call of any value; where the callee has native code of the right arity, it is called. depth:
// what the callee gets.
NativeResult rt_call(Machine*, std::int64_t depth, const Value* callee, const Value* arguments,
                     std::uint64_t count);
[[noreturn]] void rt_stop(Machine*, std::uint64_t bits, std::uint64_t tag);
// Fuel, counted down at calls and back edges, is used up, or an interrupt was requested.
[[noreturn]] void rt_out_of_fuel(Machine*, const ResolvedVersion* code, std::uint64_t pc,
                                 const Value* slots);
// The element that the watchpoint is for has its value.
void rt_set_watchpoint(Machine*, Watchpoint* watchpoint, std::uint64_t array_bits);
// Where a call enters code of a version; enabled by CompileOptions::entries.
void rt_entered(Machine*, const ResolvedVersion* code);
// Code that is sampled (CompileRequest::sampled) finds that it is wanted; and, where it counts
// events, they are used up. `words`: tags by slot, there where `given` has a bit; no tag: nothing
// yet. `bits`: those of the request that stand for this place. Not 0: there is newer code, this is
// exited to the baseline (at a back edge).
std::uint64_t rt_answer_sample(Machine*, profiler::SampledCode* code, const std::uint64_t* words,
                               std::uint64_t given, std::uint64_t bits);
std::uint64_t rt_take_sample(Machine*, profiler::SampledCode* code, const std::uint64_t* words,
                             std::uint64_t given, std::uint64_t bits);
// Whether the schedule wants this exit (whose guards hold) to be taken.
std::uint64_t rt_opportunity(Machine*, const ResolvedVersion* code, std::uint64_t pc);
// Takes the exit of the assume or anchor at pc: the frames of its exit are made and run in the
// baseline; what the activation returns. Slots that the exit does not use need not be filled.
NativeResult rt_deoptimize(Machine*, std::int64_t depth, const ResolvedVersion* code,
                           std::uint64_t pc, const Value* slots);
// Goes on with the instruction at pc in the baseline, in the same version.
NativeResult rt_bailout(Machine*, std::int64_t depth, const ResolvedVersion* code, std::uint64_t pc,
                        const Value* slots);
// The same for OSR entries: materializes the frames; the tag kDeoptimized.
NativeResult rt_deoptimize_osr(Machine*, std::int64_t depth, const ResolvedVersion* code,
                               std::uint64_t pc, const Value* slots);
NativeResult rt_bailout_osr(Machine*, std::int64_t depth, const ResolvedVersion* code,
                            std::uint64_t pc, const Value* slots);
// The same for the code of the loop whose head is at pc.
NativeResult rt_tier_up_osr(Machine*, std::int64_t depth, const ResolvedVersion* code,
                            std::uint64_t pc, const Value* slots);
}

std::span<const RuntimeCall> runtime_calls();

} // namespace sourir::native
