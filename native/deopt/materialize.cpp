#include "native/deopt/materialize.h"

#include "sourir/semantics/render.h"

#include <algorithm>

namespace sourir::native {

namespace {

// M and M' of the `with` block of an exit.
class GrowingHeap : public Arrays {
public:
  explicit GrowingHeap(Heap& heap) : heap_(heap) {}

  bool made(Value array) const { return std::ranges::count(made_, array) > 0; }
  Limit allocate(std::uint64_t length, Value& array) {
    Array* a = heap_.allocate(length);
    if (a == nullptr) return heap_.why();
    array = value_of(a);
    made_.push_back(array);
    return Limit::None;
  }
  Limit store(Value array, std::uint64_t index, Value v) {
    return heap_.store(array_of(array), index, v) ? Limit::None : heap_.why();
  }

private:
  Heap& heap_;
  std::vector<Value> made_; // live: a block binds no slot twice, so its slots hold all of them
};

// Above the stack's top: the frames, outermost first, then the environment of the block.
class FramesOnStack {
public:
  FramesOnStack(ScannedStack& stack, const resolved::Exit& exit) : end_(stack.top) {
    for (const resolved::OuterFrame& outer : exit.outer) end_ += outer.frame.code->slots.size();
    end_ += exit.frame.code->slots.size();
    next_ = end_;
  }

  Value* end() const { return end_; }
  Value* scratch(std::size_t) { return end_; }
  // Precondition: requested in the order of their numbers, the innermost first.
  Value* frame(std::size_t, const resolved::Frame& frame) {
    return next_ -= frame.code->slots.size();
  }

private:
  Value* end_;
  Value* next_;
};

class FramesInPlace {
public:
  FramesInPlace(std::span<Value* const> frames, Value* scratch)
      : frames_(frames), scratch_(scratch) {}
  Value* scratch(std::size_t) { return scratch_; }
  Value* frame(std::size_t n, const resolved::Frame&) { return frames_[frames_.size() - 1 - n]; }

private:
  std::span<Value* const> frames_;
  Value* scratch_;
};

} // namespace

RebuildFailure materialize(Heap& heap, std::span<const Value> env, const resolved::Exit& exit,
                           std::span<Value* const> frames, Value* scratch) {
  GrowingHeap memory(heap);
  FramesInPlace places(frames, scratch);
  return rebuild(memory, env, exit, places);
}

const ResolvedVersion* entered(const LinkedProgram::Fun& f, Env arguments) {
  return *std::ranges::find_if(f.dispatch, [&](const ResolvedVersion* version) {
    return first_failing(arguments, version->when) == version->when.size();
  });
}

RebuildFailure materialize(Heap& heap, std::span<const Value> env, const resolved::Exit& exit,
                           ScannedStack& to) {
  FramesOnStack frames(to, exit);
  const std::size_t scratch = exit.with.empty() ? 0 : env.size() + exit.made;
  if (static_cast<std::size_t>(to.end() - frames.end()) < scratch || frames.end() > to.end())
    return {.limit = Limit::Depth};
  Value* const before = to.top;
  std::fill(before, frames.end() + scratch, Value::unbound());
  to.top = frames.end() + scratch; // the collector scans the environment of the `with` block
  GrowingHeap memory(heap);
  const RebuildFailure failure = rebuild(memory, env, exit, frames);
  to.top = failure ? before : frames.end();
  return failure;
}

bool render(std::string& out, Value value, const Names& names, std::uint64_t limit) {
  return sourir::render(out, value, Arrays(), names, limit);
}

} // namespace sourir::native
