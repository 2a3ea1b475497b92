// Elements of arrays that native code takes to have a given value without looking at them (lazy
// deoptimization: Soman and Krintz; RJIT OSR, 4.3.2). The array is marked by its storage,
// Storage::Watched, which no store in native code or in the interpreter knows: so each store to it
// comes to Heap::store, which takes the watch away where the element changes. Behind a call or a
// store that could do that, native code compares one word instead of looking into the array; where
// there is neither, LLVM need not even do that again.
#pragma once

#include "sourir/semantics/value.h"

#include <cstdint>

namespace sourir::native {

struct Watch {
  std::uint64_t array = 0; // the address of the array whose element has the value; 0: look at it
  std::uint64_t left = 16; // so often it may be set again; then somebody stores too often
  Value value;             // no array and no float: equal means the same bits
  std::uint64_t index = 0;
  std::uint64_t listed = 0; // the heap knows it
};

} // namespace sourir::native
