// Materialization: the frames of less optimized code from the metadata of an exit, the function
// deoptimize(C, xi, xi*) of dissertation Figure 2.20. rebuild() is a template over the memory that
// the `with` block extends and over the place for the frames: materialize() below uses it for
// configurations, native/deopt/materialize.h for native code.
#pragma once

#include "sourir/semantics/eval.h"
#include "sourir/semantics/rules.h"
#include "sourir/syntax/match.h"

#include <algorithm>
#include <variant>

namespace sourir {

// Why there are no frames: a reason, a limit, or neither if there are.
struct RebuildFailure {
  StuckReason why = StuckReason::None;
  Limit limit = Limit::None;
  explicit operator bool() const { return why != StuckReason::None || limit != Limit::None; }
};

// A memory in which a `with` block makes arrays. Only arrays that it `made` change.
template <class M>
concept ExtensibleMemory =
    Memory<M> && requires(M& memory, Value array, std::uint64_t length, Value v) {
      // Sets `array` to a new array of nils, or returns the limit that it would exceed.
      { memory.allocate(length, array) } -> std::same_as<Limit>;
      { memory.made(array) } -> std::same_as<bool>;
      { memory.store(array, length, v) } -> std::same_as<Limit>;
    };

// The place for the frames: environments whose slots are all unbound.
template <class P>
concept FramePlace = requires(P& place, std::size_t n, const resolved::Frame& frame) {
  { place.scratch(n) } -> std::same_as<Value*>;      // an environment of n slots
  { place.frame(n, frame) } -> std::same_as<Value*>; // frame n, from the innermost, 0
};

// The length of a new array from the value of its expression: WrongType, BadLength or the value.
EvalResult array_length(EvalResult length);

// Runs a `with` block in an environment of its own: E' and M'.
template <ExtensibleMemory M>
class WithBlockRun {
public:
  WithBlockRun(M& memory, Value* env) : memory_(memory), env_(env) {}

  RebuildFailure run(const resolved::Deferred& line) {
    return match(
        line,
        [&](const resolved::Decl& i) {
          const EvalResult v = i.e ? eval(memory_, env_, *i.e) : EvalResult(Value());
          env_[i.x] = v.value;
          return RebuildFailure{v.why};
        },
        [&](const resolved::ArrayDecl& i) {
          const EvalResult n = array_length(eval(memory_, env_, i.length));
          return n ? allocate(i.x, static_cast<std::uint64_t>(n.value.as_int()))
                   : RebuildFailure{n.why};
        },
        [&](const resolved::ArrayDef& i) { return define(i); },
        [&](const resolved::ArrayUpdate& i) { return update(i); });
  }

private:
  RebuildFailure allocate(Slot x, std::uint64_t length) {
    return {.limit = memory_.allocate(length, env_[x])};
  }

  // Two evaluations, which are pure: the first finds an element without value before any limit is
  // reached, the second stores the values: kept ones would be invisible to a collector.
  RebuildFailure define(const resolved::ArrayDef& i) {
    for (const resolved::Expr& e : i.elements)
      if (const EvalResult v = eval(memory_, env_, e); !v) return {v.why};
    Value array;
    if (const Limit full = memory_.allocate(i.elements.size(), array); full != Limit::None)
      return {.limit = full};
    const Value before = std::exchange(env_[i.x], array);
    for (std::size_t at = 0; at < i.elements.size(); ++at) {
      env_[i.x] = before;
      const Value v = eval(memory_, env_, i.elements[at]).value;
      env_[i.x] = array;
      if (const Limit full = memory_.store(array, at, v); full != Limit::None)
        return {.limit = full};
    }
    return {};
  }

  RebuildFailure update(const resolved::ArrayUpdate& i) {
    const EvalResult index = eval(memory_, env_, i.index);
    if (!index) return {index.why};
    const EvalResult v = eval(memory_, env_, i.value);
    if (!v) return {v.why};
    const Value a = env_[i.x];
    if (!a.is(Tag::Array) || !memory_.made(a) || !index.value.is(Tag::Int))
      return {StuckReason::WrongType};
    const auto at = static_cast<std::uint64_t>(index.value.as_int());
    if (at >= memory_.length(a)) return {StuckReason::OutOfBounds};
    return {.limit = memory_.store(a, at, v.value)};
  }

  M& memory_;
  Value* env_;
};

// The `with` block runs in order, then the varmaps of all frames are evaluated in the resulting
// environment and memory. `env`: values by slot of the exit's origin; it is not changed.
template <ExtensibleMemory M, FramePlace P>
RebuildFailure rebuild(M& memory, std::span<const Value> env, const resolved::Exit& exit, P& to) {
  Env e = env.data();
  if (!exit.with.empty()) {
    Value* scratch = to.scratch(env.size() + exit.made);
    std::ranges::copy(env, scratch);
    WithBlockRun block(memory, scratch);
    for (const resolved::Deferred& line : exit.with)
      if (const RebuildFailure f = block.run(line)) return f;
    e = scratch;
  }
  for (std::size_t i = 0; i <= exit.outer.size(); ++i) { // innermost first in the exit
    const resolved::Frame& frame = i == 0 ? exit.frame : exit.outer[i - 1].frame;
    Value* slots = to.frame(i, frame);
    for (const resolved::Entry& entry : frame.varmap) {
      const EvalResult v = eval(memory, e, entry.value);
      if (!v) return {v.why};
      slots[entry.name] = v.value;
    }
  }
  return {};
}

// The frames; or the reason why an expression has no value; or the limit that the block exceeds.
// The configuration is not changed.
std::variant<NewFrames, StuckReason, Limit> materialize(const Config& c,
                                                        const resolved::Exit& exit);
// The same for any environment: `env` holds values by slot of the exit's origin.
std::variant<NewFrames, StuckReason, Limit> materialize(const Heap& heap,
                                                        std::span<const Value> env,
                                                        const Limits& limits,
                                                        const resolved::Exit& exit);

} // namespace sourir
