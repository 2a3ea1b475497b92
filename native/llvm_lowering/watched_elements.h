// Watchpoints on elements of arrays (native/runtime/watchpoint.h): where a guard compares an
// element at a literal index with a literal, the emitted code tests one word of a watchpoint
// instead of loading the element. The runtime resets the word when the element changes.
#pragma once

#include "native/llvm_lowering/arrays.h"

namespace sourir::native {

class WatchedElements {
public:
  WatchedElements(Emitter& emitter, Variables& variables, Exits& exits, Arrays& arrays);

  // The value that a guard assumes of an element: of `a[0]` in the guard itself, or after
  // `x = a[0]`, the current instruction, of x in a guard soon after. Empty: it is an ordinary load.
  std::optional<Value> assumed(const resolved::Expr& e) const;
  // The element, by a watchpoint for this value where the host has one left.
  TypedValue load(const resolved::Expr& e, Value assumed, TypeSet speculated);

private:
  Emitter& e_;
  llvm::IRBuilderBase& b_;
  Variables& variables_;
  Exits& exits_;
  Arrays& arrays_;
};

} // namespace sourir::native
