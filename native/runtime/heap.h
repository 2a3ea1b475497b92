// The heap of a running program, on the collector of collector.h: a value on a stack of the
// machine, in a frame of native code or in an array keeps what it points to; nothing moves.
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
  static_assert(kMostInside == Blocks::kSizes - 1);

  // Once a process, before anything else of this class; on the main thread. Again: nothing.
  static void begin() { Blocks::begin(); }

  // The limits must outlive it.
  explicit Heap(const Limits& limits);

  // An array of nils. Null: `why()` says which limit was reached (array, heap).
  Array* allocate(std::uint64_t length) {
    if (length <= most_inside_) {
      void*& list = blocks_.lists()[length];
      if (list != nullptr && room_ >= counted_size(length)) {
        auto* a = static_cast<Array*>(list);
        list = a->data;
        room_ -= counted_size(length);
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

  // From now on the watchpoint says whether this array's element has its value, which it has now,
  // until that changes (or the array is not worth it). The watchpoint must outlive the heap's use
  // of it, lie where the collector scans, and not be moved.
  void set_watchpoint(Watchpoint& watchpoint, Array* a);
  std::uint64_t watchpoints_set() const { return watchpoints_set_; } // how often that was asked for
  std::uint64_t invalidated() const { return invalidated_; } // how often it ended by a store

  FreeLists free_lists() { return {blocks_.lists().data(), &room_, &allocated_, most_inside_}; }

  std::uint64_t allocated() const { return allocated_; } // arrays so far
  // Bytes in use, as the limit counts them; garbage that was not looked for included.
  std::uint64_t used() const { return limits_.heap - room_; }

private:
  // Ints and floats are read and written as words, so that a compiler sees one type of memory.
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
  bool store_mixed(Array* a, std::uint64_t index, Value v);
  bool store_with_watchpoints(Array* a, std::uint64_t index, Value v);
  bool specialize(Array* a, Storage to);
  bool generalize(Array* a);
  bool settle(Array* a);

  const Limits& limits_;
  Blocks blocks_;
  std::uint64_t most_inside_;
  std::uint64_t room_; // what may be allocated before somebody must look what is still in use
  std::uint64_t allocated_ = 0, watchpoints_set_ = 0, invalidated_ = 0;
  std::vector<Watchpoint*> watchpoints_; // that are listed
  Limit why_ = Limit::None;
};

} // namespace sourir::native
