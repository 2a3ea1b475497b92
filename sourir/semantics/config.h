// Configurations <P I L K* M E> (dissertation 2.6), the start configuration and the choice of the
// version that a call enters. The environments of all frames lie in one stack, E is its top window:
// a call costs the size of its frame. The schedule of forced exits, the watches, the position in
// the input and the allocation of addresses are part of the configuration, so a run is repeatable.
// A configuration belongs to one thread.
#pragma once

#include "sourir/semantics/input.h"
#include "sourir/semantics/limits.h"
#include "sourir/semantics/primop.h"
#include "sourir/semantics/resolved.h"
#include "sourir/semantics/watch_plan.h"
#include "sourir/semantics/watches.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace sourir {

// Numbers of the bools, ints and floats among the elements of a block, so that a test of the types
// of all elements takes constant time after the first one.
class TypeCounts {
public:
  void add(Tag tag) { ++counts_[index(tag)]; }
  void remove(Tag tag) { --counts_[index(tag)]; }
  // One of kElementTypes.
  std::uint32_t of(Tag tag) const { return counts_[index(tag)]; }

private:
  static constexpr std::size_t kOthers = 3;
  static std::size_t index(Tag tag) {
    return std::min(static_cast<std::size_t>(tag) - static_cast<std::size_t>(Tag::Bool), kOthers);
  }
  std::array<std::uint32_t, kOthers + 1> counts_{}; // Bool, Int, Float, others
};

// M: blocks by address. It never shrinks, as in the paper, except when steps are undone. Elements
// are written by store() only: it keeps the counts, which a block has from the first test of all
// its elements on.
struct Heap {
  std::vector<std::vector<Value>> blocks;
  std::uint64_t bytes = 0; // kBlockBytes a block and kValueBytes an element
  mutable std::unordered_map<std::uint32_t, TypeCounts> counts; // by index of the block

  static constexpr std::uint64_t kBlockBytes = 24, kValueBytes = sizeof(Value);
  static std::uint64_t size_of(std::uint64_t length) { return kBlockBytes + length * kValueBytes; }

  // Precondition: `array` is an array, and `index` is below its length.
  std::uint64_t length(Value array) const { return blocks[array.as_array().index].size(); }
  Value element(Value array, std::uint64_t index) const {
    return blocks[array.as_array().index][index];
  }
  // Whether all elements have this type, one of kElementTypes.
  bool elements_are(Value array, Tag tag) const;

  Address allocate(std::vector<Value> block) {
    bytes += size_of(block.size());
    blocks.push_back(std::move(block));
    return Address{static_cast<std::uint32_t>(blocks.size() - 1)};
  }
  void undo_allocate() {
    bytes -= size_of(blocks.back().size());
    blocks.pop_back();
    counts.erase(static_cast<std::uint32_t>(blocks.size()));
  }
  // Returns the element that it overwrites.
  Value store(Address array, std::uint64_t index, Value v) {
    const Value old = std::exchange(blocks[array.index][index], v);
    if (old.tag() != v.tag() && !counts.empty()) recount(array.index, old.tag(), v.tag());
    return old;
  }

private:
  void recount(std::uint32_t block, Tag from, Tag to);
};

// <I L x E>: E is the window of the stack from `base` to the base of the next frame.
struct Continuation {
  const ResolvedVersion* code = nullptr; // I
  Pc pc = 0;                             // L, the position after the call
  Slot result = 0;                       // x
  std::size_t base = 0;
  friend bool operator==(const Continuation&, const Continuation&) = default;
};

using Env = const Value*; // values by slot

class GrowthSchedule; // growth.h

struct Config {
  const LinkedProgram* program = nullptr; // P
  const ResolvedVersion* code = nullptr;  // I; null after stop
  Pc pc = 0;                              // L
  std::vector<Continuation> frames;       // K*, the innermost last
  Heap heap;                              // M
  std::vector<Value> stack;
  std::size_t base = 0; // E = stack[base ..]

  Input* input = nullptr;
  std::uint64_t input_position = 0;
  const Schedule* schedule = nullptr;
  std::shared_ptr<const WatchPlan> watch_plan; // of the schedule; null: nothing is watched
  Watches watches;                             // W
  std::uint64_t opportunities = 0;             // exits that were possible so far
  std::uint64_t calls = 0;                     // executed so far
  bool returned = false;                  // whether a call has returned since the last opportunity
  const GrowthSchedule* growth = nullptr; // null: the program does not grow
  std::uint64_t events = 0;               // with `growth`: calls, back edges and exits (link.h)
  std::size_t grown = 0;                  // steps of `growth` that are made
  const Limits* limits = nullptr;
  std::uint64_t steps = 0;
  std::uint64_t output_bytes = 0;
  Value result; // of stop

  bool stopped() const { return code == nullptr; }
  Env env() const { return stack.data() + base; }
  const resolved::Instr& instr() const { return code->instrs[pc]; }
};

// start(P): the first instruction of the version of main that is entered. The arguments must
// outlive the configuration.
Config start(const LinkedProgram& program, Input& input, const Schedule& schedule,
             const Limits& limits);

// The version that a call, or the start of main, enters: the first, in the order listed, whose
// context holds for these arguments, unless the schedule names another one, or that of
// growth an added one. [ext] contexts
const ResolvedVersion* entered(const Config& c, const LinkedProgram::Fun& f, Env arguments);
// All versions that it may enter: those that are no continuations and whose contexts hold.
std::vector<const ResolvedVersion*> enterable(const Config& c, const LinkedProgram::Fun& f,
                                              Env arguments);

// Equality of position, environments, continuations, heap, watches, counters and result.
bool same_state(const Config& a, const Config& b);

} // namespace sourir
