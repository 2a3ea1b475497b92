// The heap of a running program, on the collector of collector.h: allocation, loads and stores of
// arrays, their limits, and the watchpoints that are set. Reachable are values on the interpreter's
// stack, in frames of native code and in arrays; nothing moves. Thread of the program only.
#pragma once

#include "native/runtime/array.h"
#include "native/runtime/collector.h"
#include "sourir/semantics/limits.h"
#include "sourir/semantics/primop.h"

#include <span>
#include <vector>

namespace sourir::native {

class Heap {
public:
  static_assert(kMaxInlineElements == Blocks::kSizes - 1);

  // On the main thread, before anything else of this class; again: no effect.
  static void begin() { Blocks::begin(); }

  // The limits must outlive it.
  explicit Heap(const Limits& limits);

  // An array of nils. Null: a limit was reached, why() (array, heap).
  Array* allocate(std::uint64_t length) {
    if (length <= most_inside_) {
      void*& list = blocks_.lists()[length];
      if (list != nullptr && budget_ >= counted_size(length)) {
        auto* a = static_cast<Array*>(list);
        list = a->data;
        budget_ -= counted_size(length);
        ++allocated_;
        return begun(a, length);
      }
    }
    return allocate_slowly(length);
  }
  // An array of these elements, in the storage that fits. They must be where the collector scans.
  Array* allocate(std::span<const Value> elements);
  Limit why() const { return why_; }

  // index < length.
  static Value load(const Array* a, std::uint64_t index) {
    if (index >= a->filled) return {};
    switch (a->storage) {
    case Storage::Empty: break;
    case Storage::Int: return Value::of_bits(words_of(a)[index], Tag::Int);
    case Storage::Float: return Value::of_bits(words_of(a)[index], Tag::Float);
    case Storage::Bool: return Value(bytes_of(a)[index] != 0);
    case Storage::Mixed:
    case Storage::Watchpoints: return values_of(a)[index];
    }
    return {};
  }
  // Whether all elements have this type, one of kElementTypes. Takes time for the elements only
  // where they are not unboxed.
  static bool elements_are(const Array* a, Tag tag);
  // index < length. May change the storage. False: no memory for that (why()).
  bool store(Array* a, std::uint64_t index, Value v) {
    if (index < a->filled && a->storage == Storage::Int && v.is(Tag::Int)) {
      words_of(a)[index] = v.bits();
      return true;
    }
    if (a->storage == Storage::Mixed && a->nils == 0) {
      values_of(a)[index] = v;
      return true;
    }
    return store_slowly(a, index, v);
  }

  // Sets the watchpoint for this array. Precondition: the element has the watchpoint's value. It
  // holds until a store changes that, or there are too many stores into the array; no effect for
  // large unboxed arrays. The watchpoint must outlive the heap's use of it, lie where the collector
  // scans, and not move.
  void set_watchpoint(Watchpoint& watchpoint, Array* a);
  std::uint64_t watchpoints_set() const { return watchpoints_set_; } // times one was set
  std::uint64_t invalidated() const { return invalidated_; }         // times a store ended one

  FreeLists free_lists() { return {blocks_.lists().data(), &budget_, &allocated_, most_inside_}; }

  std::uint64_t allocated() const { return allocated_; } // arrays so far
  // Bytes in use, as the limit counts them; garbage since the last collection included.
  std::uint64_t used() const { return limits_.heap - budget_; }

private:
  // Ints and floats are accessed as words: one type of memory for the C++ compiler.
  static std::uint64_t* words_of(const Array* a) { return static_cast<std::uint64_t*>(a->data); }
  static Value* values_of(const Array* a) { return static_cast<Value*>(a->data); }
  static std::uint8_t* bytes_of(const Array* a) { return static_cast<std::uint8_t*>(a->data); }
  static void put(Array* a, std::uint64_t index, Value v);
  static Array* begun(Array* a, std::uint64_t length) {
    a->data = a + 1;
    a->length = length; // also where it was 0
    a->inside = true;
    return a;
  }
  Array* allocate_slowly(std::uint64_t length);
  bool make_room(std::uint64_t bytes);
  bool fail(Limit limit);
  Array* none(Limit limit);
  bool store_slowly(Array* a, std::uint64_t index, Value v);
  static bool change_type(Array* a, Storage to);
  bool store_mixed(Array* a, std::uint64_t index, Value v);
  bool store_with_watchpoints(Array* a, std::uint64_t index, Value v);
  bool specialize(Array* a, Storage to);
  bool generalize(Array* a);
  bool settle(Array* a);

  const Limits& limits_;
  Blocks blocks_;
  std::uint64_t most_inside_;
  std::uint64_t budget_; // bytes until the next collection
  std::uint64_t allocated_ = 0, watchpoints_set_ = 0, invalidated_ = 0;
  std::vector<Watchpoint*> watchpoints_; // those set
  Limit why_ = Limit::None;
};

} // namespace sourir::native
