// The compiler library's view of the program that loads it: every address that native code refers
// to, so that no symbol is resolved across the two.
#pragma once

#include "native/runtime/array.h"
#include "native/runtime/native_code.h"

#include <span>

namespace sourir::native {

// A function of the runtime that native code may call.
struct RuntimeCall {
  const char* name;
  void* address;
  // One letter each, the result first: v void, R NativeResult, w 64-bit integer, p pointer.
  const char* type;
  bool cold; // deoptimizes, fails or is slow: its calls are moved out of line
};

struct CompilerHost {
  // Raised with each change of this folder's headers or of the value representation.
  static constexpr std::uint32_t kInterface = 23;
  std::uint32_t interface_number = kInterface;

  Machine* machine = nullptr;
  FunctionCell* cells = nullptr; // by the id of the function's name
  std::int64_t* fuel = nullptr;
  // Counted down at opportunities for exits where exits are forced: at 0 rt_opportunity is asked.
  std::int64_t* until_asked = nullptr;
  // Set after each call of the program where exits are forced; may be null.
  bool* returned = nullptr;
  FreeLists heap;
  // A new watchpoint for elements at this index with this value; null: the limit is reached. May
  // itself be null.
  Watchpoint* (*new_watchpoint)(Machine*, std::uint64_t index, Value value) = nullptr;
  const Names* names = nullptr;
  std::span<const RuntimeCall> calls;
};

// The one symbol of the library, sourir_make_native_compiler: null if the interface is another.
// The caller owns the result; what the host refers to must outlive it.
using MakeNativeCompiler = NativeCompiler* (*)(const CompilerHost&);

} // namespace sourir::native
