// Evaluation of expressions, materialization of frames and rendering of values, over the native
// heap: the functions of eval.h, materialize.h and render.h of sourir/semantics.
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

// The frames of an exit, from its environment by the slots of its origin. On success they stand at
// what was `to.top` before, outermost first, each as many values as its code has slots, and
// `to.top` is after the last. Otherwise it is as before; Limit::Depth: no room. `env` may be on
// the same stack below its top.
RebuildFailure materialize(Heap& heap, std::span<const Value> env, const resolved::Exit& exit,
                           ScannedStack& to);

// The same with a place for each frame, outermost first, and one for the environment of a `with`
// block (as many values as `env` and the exit make, seen by the collector), which are unbound. Only
// slots of `env` that the exit reads need be there. After a failure the frames hold anything.
RebuildFailure materialize(Heap& heap, std::span<const Value> env, const resolved::Exit& exit,
                           std::span<Value* const> frames, Value* scratch);

bool render(std::string& out, Value value, const Names& names,
            std::uint64_t limit = ~std::uint64_t{0});

} // namespace sourir::native
