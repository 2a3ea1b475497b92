// Operations on two integers or two floats, given and returned as bits. No errors: the caller
// excludes division of integers by 0.
#pragma once

#include "sourir/syntax/expr.h"

#include <bit>
#include <cstdint>

namespace sourir::native {

constexpr bool compares(BinaryOp op) { return op <= BinaryOp::Ge; }
constexpr bool divides(BinaryOp op) { return op == BinaryOp::Div || op == BinaryOp::Mod; }

template <BinaryOp op, class Number>
inline bool compare(Number a, Number b) {
  static_assert(compares(op));
  switch (op) {
  case BinaryOp::Eq: return a == b;
  case BinaryOp::Ne: return a != b;
  case BinaryOp::Lt: return a < b;
  case BinaryOp::Le: return a <= b;
  case BinaryOp::Gt: return a > b;
  default: return a >= b;
  }
}

// Precondition: the divisor is not 0.
template <BinaryOp op>
inline std::uint64_t int_result(std::uint64_t a, std::uint64_t b) {
  const auto sa = static_cast<std::int64_t>(a), sb = static_cast<std::int64_t>(b);
  if constexpr (compares(op)) return compare<op>(sa, sb) ? 1 : 0;
  switch (op) {
  case BinaryOp::Add: return a + b;
  case BinaryOp::Sub: return a - b;
  case BinaryOp::Mul: return a * b;
  case BinaryOp::Div:
  case BinaryOp::Mod: break;
  default: return 0;
  }
  constexpr bool div = op == BinaryOp::Div;
  if (((a | b) >> 32) == 0) { // much faster than in 64 bits
    const auto na = static_cast<std::uint32_t>(a), nb = static_cast<std::uint32_t>(b);
    return div ? na / nb : na % nb;
  }
  if (sb == -1) return div ? 0 - a : 0; // the hardware traps on minimum / -1
  return static_cast<std::uint64_t>(div ? sa / sb : sa % sb);
}

template <BinaryOp op>
inline std::uint64_t float_result(std::uint64_t a, std::uint64_t b) {
  const auto fa = std::bit_cast<double>(a), fb = std::bit_cast<double>(b);
  if constexpr (compares(op)) return compare<op>(fa, fb) ? 1 : 0;
  switch (op) {
  case BinaryOp::Add: return std::bit_cast<std::uint64_t>(fa + fb);
  case BinaryOp::Sub: return std::bit_cast<std::uint64_t>(fa - fb);
  case BinaryOp::Mul: return std::bit_cast<std::uint64_t>(fa * fb);
  default: return std::bit_cast<std::uint64_t>(fa / fb);
  }
}

} // namespace sourir::native
