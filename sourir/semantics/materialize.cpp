#include "sourir/semantics/materialize.h"

namespace sourir {

EvalResult array_length(EvalResult n) {
  if (!n) return n;
  if (!n.value.is(Tag::Int)) return StuckReason::WrongType;
  if (n.value.as_int() < 0 || n.value.as_int() > kMaxLength) return StuckReason::BadLength;
  return n;
}

namespace {

// M, followed by the blocks that the `with` block makes.
class ExtendedHeap {
public:
  ExtendedHeap(const Heap& heap, const Limits& limits) : heap_(heap), limits_(limits) {}

  bool made(Value array) const { return array.as_array().index >= heap_.blocks.size(); }
  std::uint64_t length(Value array) const {
    return made(array) ? made_.blocks[index(array)].size() : heap_.length(array);
  }
  Value element(Value array, std::uint64_t at) const {
    return made(array) ? made_.blocks[index(array)][at] : heap_.element(array, at);
  }
  bool elements_are(Value array, Tag tag) const {
    return made(array) ? made_.elements_are(Value(Address{index(array)}), tag)
                       : heap_.elements_are(array, tag);
  }

  Limit allocate(std::uint64_t length, Value& array) {
    if (length > limits_.array) return Limit::Array;
    if (heap_.bytes + made_.bytes + Heap::size_of(length) > limits_.heap) return Limit::Heap;
    const Address a = made_.allocate(std::vector<Value>(length));
    array = Value(Address{a.index + first()});
    return Limit::None;
  }
  Limit store(Value array, std::uint64_t at, Value v) {
    made_.store(Address{index(array)}, at, v);
    return Limit::None;
  }

  std::vector<std::vector<Value>> take_blocks() { return std::move(made_.blocks); }

private:
  std::uint32_t first() const { return static_cast<std::uint32_t>(heap_.blocks.size()); }
  std::uint32_t index(Value array) const { return array.as_array().index - first(); }

  const Heap& heap_;
  const Limits& limits_;
  Heap made_;
};

struct FramesOfConfig {
  NewFrames& to;
  const resolved::Exit& exit;
  std::vector<Value> env;

  Value* scratch(std::size_t slots) {
    env.assign(slots, Value::unbound());
    return env.data();
  }
  Value* frame(std::size_t i, const resolved::Frame& frame) {
    NewFrame& made = to.frames[exit.outer.size() - i]; // outermost first there
    made.code = frame.code;
    made.pc = frame.pc;
    if (i > 0) made.result = exit.outer[i - 1].result;
    made.env.assign(frame.code->slots.size(), Value::unbound());
    return made.env.data();
  }
};

} // namespace

std::variant<NewFrames, StuckReason, Limit> materialize(const Config& c,
                                                        const resolved::Exit& exit) {
  return materialize(c.heap, {c.env(), c.code->slots.size()}, *c.limits, exit);
}

std::variant<NewFrames, StuckReason, Limit> materialize(const Heap& heap,
                                                        std::span<const Value> env,
                                                        const Limits& limits,
                                                        const resolved::Exit& exit) {
  ExtendedHeap memory(heap, limits);
  NewFrames to;
  to.frames.resize(exit.outer.size() + 1);
  FramesOfConfig place{to, exit, {}};
  const RebuildFailure failure = rebuild(memory, env, exit, place);
  if (failure.why != StuckReason::None) return failure.why;
  if (failure.limit != Limit::None) return failure.limit;
  to.blocks = memory.take_blocks();
  return to;
}

} // namespace sourir
