// Evaluation, materialization of frames (deoptimize(C, xi, xi*), dissertation, Figure 2.20) and
// rendering: the functions of the reference in eval.h, materialize.h and render.h, over the heap of
// the native tier. Errors are results: a reason or a limit. Threads: of the program.
#pragma once

#include "native/runtime/heap.h"
#include "sourir/semantics/materialize.h"

#include <string>

namespace sourir::native {

// M (eval.h): the arrays that values point to.
struct Arrays {
  std::uint64_t length(Value array) const { return array_of(array)->length; }
  Value element(Value array, std::uint64_t index) const {
    return Heap::load(array_of(array), index);
  }
  bool elements_are(Value array, Tag tag) const { return Heap::elements_are(array_of(array), tag); }
};

// Environments are values by slot.
inline EvalResult eval(Env env, const resolved::Expr& e) { return sourir::eval(Arrays(), env, e); }
inline bool holds(Env env, const resolved::Expr& guard) {
  return sourir::holds(Arrays(), env, guard);
}
inline std::size_t first_failing(Env env, const std::vector<resolved::Expr>& guards) {
  return sourir::first_failing(Arrays(), env, guards);
}
// The version that a call of f with these arguments enters: the first whose context holds.
const ResolvedVersion* entered(const LinkedProgram::Fun& f, Env arguments);

// The frames of an exit, from `env`, the values of its origin by slot. On success they begin at the
// former `to.top`, outermost first, each as many values as its code has slots, and `to.top` is the
// end of the last. A failure does not change it; Limit::Depth: no room. `env` may be on the same
// stack below its top.
RebuildFailure materialize(Heap& heap, std::span<const Value> env, const resolved::Exit& exit,
                           ScannedStack& to);

// The same into `frames`, outermost first, with `scratch` for the environment of a `with` block
// (env.size() + exit.made values, scanned by the collector). Precondition: both are unbound, and
// `env` holds at least the slots that the exit reads. After a failure the frames are unspecified.
RebuildFailure materialize(Heap& heap, std::span<const Value> env, const resolved::Exit& exit,
                           std::span<Value* const> frames, Value* scratch);

bool render(std::string& out, Value value, const Names& names,
            std::uint64_t limit = ~std::uint64_t{0});

} // namespace sourir::native
