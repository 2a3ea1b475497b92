// Arrays of a running program. Elements are stored as what they all are: `data` holds 64-bit
// integers, doubles, bytes (bools) or values; storing anything else changes the storage in place,
// so that the address of the array, which is its identity, stays. Native code relies on the layout.
#pragma once

#include "sourir/semantics/value.h"

#include <cstddef>
#include <cstdint>

namespace sourir::native {

// Empty: all elements are nil and there may be no data. Watchpoints: as Mixed, but some code relies
// on an element (array.h), so that whoever stores must say so to the heap. What loads may take all
// from Mixed on for the same.
enum class Storage : std::uint8_t { Empty, Int, Float, Bool, Mixed, Watchpoints };

struct Array {
  void* data = nullptr;
  // Elements before it are of the storage's type, those from it on are nil; Mixed: the length;
  // Empty: 0. So one comparison says that an element is there and unboxed.
  std::uint64_t filled = 0;
  std::uint64_t length = 0;
  Storage storage = Storage::Empty;
  bool inside = false;  // data lies behind this header, with room for `length` values
  bool settled = false; // has been Mixed: what leaves that again would only go to and fro
  // Mixed: how many elements are nil yet in an array that was filled out of order; when there are
  // none any more it may turn out to be of one type. 0: nobody counts. Stores may ignore it.
  // Watchpoints: how often something was stored that was not relied on.
  std::uint32_t nils = 0;
};
static_assert(offsetof(Array, filled) == 8 && offsetof(Array, length) == 16 &&
              offsetof(Array, storage) == 24 && sizeof(Array) == 32);

// `storage` and `inside` as one number, of an array with its elements inside.
constexpr std::uint16_t state_inside(Storage storage) {
  static_assert(offsetof(Array, inside) == offsetof(Array, storage) + 1);
  return static_cast<std::uint16_t>(static_cast<unsigned>(storage) | 1U << 8);
}

// Arrays of at most this many elements have them directly after the header.
inline constexpr std::uint64_t kMostInside = 15;
// Bytes that an array counts for the limit on the heap, in whatever storage: as in the reference.
constexpr std::uint64_t counted_size(std::uint64_t length) { return 24 + length * 16; }

// What native code needs to allocate an array with its elements inside: it takes the head of
// lists[length], if there is one and `room` for counted_size(length), and counts. Blocks on the
// lists are cleared but for the link, which is `data`, and `length`.
struct FreeLists {
  void** lists = nullptr; // by length; [0] is for others
  std::uint64_t *room = nullptr, *allocated = nullptr;
  std::uint64_t most_inside = 0; // elements; at most kMostInside
};

inline Array* array_of(Value v) { return reinterpret_cast<Array*>(v.bits()); }
inline Value value_of(Array* a) {
  return Value::of_bits(reinterpret_cast<std::uint64_t>(a), Tag::Array);
}

// Elements of arrays that native code takes to have a given value without looking at them (lazy
// deoptimization: Soman and Krintz; RJIT OSR, 4.3.2). The array is marked by its storage,
// Storage::Watchpoints, which no store in native code or in the interpreter knows: so each store to
// it comes to Heap::store, which takes the watchpoint away where the element changes. Behind a call
// or a store that could do that, native code compares one word instead of looking into the array;
// where there is neither, LLVM need not even do that again.

struct Watchpoint {
  std::uint64_t array = 0; // the address of the array whose element has the value; 0: load it
  std::uint64_t left = 16; // so often it may be set again; then somebody stores too often
  Value value;             // no array and no float: equal means the same bits
  std::uint64_t index = 0;
  std::uint64_t listed = 0; // the heap knows it
};

} // namespace sourir::native
