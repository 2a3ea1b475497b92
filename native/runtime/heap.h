// The heap of a running program: Boehm's collector. A value on a stack of the machine, in a frame
// of native code or in an array keeps what it points to; nothing moves.
#pragma once

#include "native/runtime/array.h"
#include "sourir/semantics/limits.h"

#include <optional>
#include <span>

namespace sourir::native {

class Heap {
public:
  // Once a process, before anything else of this class; on the main thread.
  static void begin();

  explicit Heap(const Limits& limits) : limits_(limits) {}

  // An array of nils. Null: `why()` says which limit was reached (array, heap). length <= kMaxLength.
  Array* allocate(std::uint64_t length);
  // An array of these elements, in the storage that fits.
  Array* allocate(std::span<const Value> elements);
  Limit why() const { return why_; }

  // index < length.
  static Value load(const Array* a, std::uint64_t index);
  // index < length. May change the storage. False: no memory for that (why()).
  bool store(Array* a, std::uint64_t index, Value v);

  std::uint64_t allocated() const { return allocated_; } // arrays so far

private:
  const Limits& limits_;
  Limit why_ = Limit::None;
  std::uint64_t allocated_ = 0;
};

} // namespace sourir::native
