// [[primop]]: the primitive operations as partial functions on values (dissertation 2.6, Figures
// 2.16 and 2.17). The rules evaluate and the passes fold with these functions.
#pragma once

#include "sourir/semantics/value.h"

namespace sourir {

// Why a configuration is stuck: the closed list.
enum class StuckReason : std::uint8_t {
  None,
  WrongType,
  OutOfBounds,
  BadLength, // negative, or above kMaxLength
  DivisionByZero,
  NotAFunction,
  WrongArity,
  AssertionFailed,
  InputExhausted,
  BadInput,
};
const char* name_of(StuckReason reason); // kebab-case, stable

// The greatest length of an array, whatever the limits of a run.
inline constexpr std::int64_t kMaxLength = (std::int64_t{1} << 32) - 1;

// A value, or why there is none.
struct EvalResult {
  Value value;
  StuckReason why = StuckReason::None;
  EvalResult(Value v) : value(v) {}
  EvalResult(StuckReason reason) : why(reason) {}
  explicit operator bool() const { return why == StuckReason::None; }
};

EvalResult apply_unary(UnaryOp op, Value operand);
EvalResult apply_binary(BinaryOp op, Value left, Value right);
bool equal(Value left, Value right); // the language's ==

} // namespace sourir
