// Arrays of a running program, their storages, the free lists of native code, and watchpoints of
// elements. `data` holds elements of one type unboxed: 64-bit integers, doubles or bytes (bools);
// all other arrays hold values. A store of another type changes the storage in place: the address
// of an array is its identity. Native code relies on the layout.
#pragma once

#include "sourir/semantics/value.h"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sourir::native {

// Empty: all elements are nil, `data` may be null. Watchpoints: as Mixed, but native code assumes
// the value of an element (Watchpoint), so every store goes through Heap::store. Loads treat all
// from Mixed on alike.
enum class Storage : std::uint8_t { Empty, Int, Float, Bool, Mixed, Watchpoints };

struct Array {
  void* data = nullptr;
  // Elements before it are of the storage's type, those from it on are nil; Mixed: the length;
  // Empty: 0. So one comparison shows that an element is present and unboxed.
  std::uint64_t filled = 0;
  std::uint64_t length = 0;
  Storage storage = Storage::Empty;
  bool inside = false;  // data follows this header, with room for `length` values
  bool settled = false; // has been Mixed: not unboxed a second time
  // Mixed: elements still nil in an array that is filled out of order; at 0 it is unboxed if all
  // are of one type. 0: not counted. Stores of native code may ignore it.
  // Watchpoints: stores so far, see Heap::store. Unboxed, of one element: changes of the storage.
  std::uint32_t nils = 0;
};
static_assert(offsetof(Array, filled) == 8 && offsetof(Array, length) == 16 &&
              offsetof(Array, storage) == 24 && sizeof(Array) == 32);

// `storage` and `inside` as one number, of an array with its elements inside.
constexpr std::uint16_t state_inside(Storage storage) {
  static_assert(offsetof(Array, inside) == offsetof(Array, storage) + 1);
  return static_cast<std::uint16_t>(static_cast<unsigned>(storage) | 1U << 8);
}

// A set of storages that were found somewhere: bit 1 << Storage; kHasRoom: of arrays that were not
// full. Watchpoints are a property of the array, not of the position: recorded as Mixed.
using StorageSet = std::uint8_t;
inline constexpr StorageSet kHasRoom = 1U << 7;
inline StorageSet storage_of(const Array& a) {
  const Storage storage = a.storage == Storage::Watchpoints ? Storage::Mixed : a.storage;
  const unsigned room = a.filled < a.length ? kHasRoom : 0U;
  return static_cast<StorageSet>(1U << static_cast<unsigned>(storage) | room);
}
// The type of all elements of all arrays in the set, if their storage shows it.
inline std::optional<Tag> full_of(StorageSet found) {
  if (found == 1U << static_cast<unsigned>(Storage::Int)) return Tag::Int;
  if (found == 1U << static_cast<unsigned>(Storage::Float)) return Tag::Float;
  if (found == 1U << static_cast<unsigned>(Storage::Bool)) return Tag::Bool;
  return std::nullopt;
}
// The storage of arrays that are full of values of this type; Mixed: they are boxed.
constexpr Storage full_storage(Tag type) {
  switch (type) {
  case Tag::Int: return Storage::Int;
  case Tag::Float: return Storage::Float;
  case Tag::Bool: return Storage::Bool;
  default: return Storage::Mixed;
  }
}

// Arrays of at most this many elements have them directly after the header.
inline constexpr std::uint64_t kMaxInlineElements = 15;
// Bytes that an array counts for the limit on the heap, in whatever storage: as in the reference.
constexpr std::uint64_t counted_size(std::uint64_t length) { return 24 + length * 16; }

// Allocation by native code of an array with its elements inside: it takes the head of
// lists[length], if there is one and `room` for counted_size(length), and counts. Blocks on the
// lists are cleared except for the link, which is `data`, and `length`.
struct FreeLists {
  void** lists = nullptr; // by length; [0] is for others
  std::uint64_t *room = nullptr, *allocated = nullptr;
  std::uint64_t most_inside = 0; // elements; at most kMaxInlineElements
};

inline Array* array_of(Value v) { return reinterpret_cast<Array*>(v.bits()); }
inline Value value_of(Array* a) {
  return Value::of_bits(reinterpret_cast<std::uint64_t>(a), Tag::Array);
}

// An array element whose value native code assumes without loading it (lazy deoptimization: Soman
// and Krintz; RJIT OSR, 4.3.2). The array is marked by Storage::Watchpoints, which no fast path of
// a store handles: each store reaches Heap::store, which invalidates the watchpoint where the
// element changes. After a call or a store that could do that, native code compares one word
// instead of loading the element; without either, LLVM removes the second comparison, too.
struct Watchpoint {
  std::uint64_t array = 0; // the address of the array whose element has the value; 0: load it
  std::uint64_t left = 16; // times it may still be set: bounds what frequent stores cost
  Value value;             // no array and no float: equal means the same bits
  std::uint64_t index = 0;
  std::uint64_t listed = 0; // 1: in the heap's list
};

} // namespace sourir::native
