#include "native/deopt/reference_state.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

namespace sourir::native {

namespace {

// Copies arrays into a heap of the reference, each once, elements in the order of rendering: those
// after kShownElements would not be rendered either.
class Copier {
public:
  explicit Copier(sourir::Heap& to) : to_(to) {}

  // The value in the reference.
  Value copy(Value root) {
    if (!root.is(Tag::Array)) return root;
    std::uint64_t left = kShownElements;
    std::unordered_set<std::uint64_t> seen{root.bits()};
    std::vector<Open> open{{array_of(root), address(root), 0}};
    while (!open.empty() && left > 0) {
      Open& top = open.back();
      if (top.next == top.array->length) {
        open.pop_back();
        continue;
      }
      --left;
      const std::uint64_t index = top.next++;
      const Value element = Heap::load(top.array, index);
      if (index == to_.blocks[top.copy.index].size()) {
        const Value copied = element.is(Tag::Array) ? Value(address(element)) : element;
        to_.blocks[top.copy.index].push_back(copied);
      }
      if (element.is(Tag::Array) && seen.insert(element.bits()).second)
        open.push_back({array_of(element), address(element), 0});
    }
    return Value(address(root));
  }

private:
  struct Open {
    const Array* array;
    Address copy;
    std::uint64_t next;
  };

  // A new array gets an empty block.
  Address address(Value array) {
    const auto [at, fresh] = addresses_.try_emplace(array.bits(), Address{});
    if (fresh) at->second = to_.allocate({});
    return at->second;
  }

  sourir::Heap& to_;
  std::unordered_map<std::uint64_t, Address> addresses_;
};

} // namespace

Config reference_state(const LinkedProgram& program, Input& input, const Schedule& schedule,
                       const Limits& limits, const EndState& end) {
  Config c;
  c.program = &program;
  c.input = &input;
  c.schedule = &schedule;
  c.limits = &limits;
  c.input_position = end.input_position;
  c.output_bytes = end.output_bytes;
  Copier copier(c.heap);
  const std::size_t count = std::min(end.frames.size(), kReportedFrames);
  for (std::size_t i = count; i-- > 0;) {
    const FrameState& frame = end.frames[i];
    const std::size_t base = c.stack.size();
    for (Slot slot = 0; slot < frame.code->slots.size(); ++slot)
      c.stack.push_back(copier.copy(frame.slots[slot]));
    if (i > 0) {
      c.frames.push_back({frame.code, frame.pc, frame.result, base});
    } else {
      c.code = frame.code;
      c.pc = frame.pc;
      c.base = base;
    }
  }
  c.result = copier.copy(end.result);
  c.heap.bytes = end.heap_bytes;
  return c;
}

Outcome describe(const Config& state, const StepResult& last, std::uint64_t depth) {
  Outcome out = sourir::describe(state, last);
  if (depth > out.depth && !state.stopped()) out.depth = depth;
  return out;
}

} // namespace sourir::native
