// Where the arrays come from that the variables of a function hold: a flow-insensitive analysis
// over all of its versions, exits between them included.
#pragma once

#include "sourir/syntax/ast.h"

#include <unordered_map>

namespace sourir {

// A set: new in this call, given as a parameter, found anywhere else (the heap, a result).
class Origins {
public:
  static Origins none() { return {}; }
  static Origins fresh() { return Origins(1); }
  static Origins any() { return Origins(2); }
  // Those beyond the first 60 count as anything.
  static Origins parameter(std::size_t n) {
    return n < 60 ? Origins(std::uint64_t{4} << n) : any();
  }

  bool has_fresh() const { return (bits_ & 1) != 0; }
  bool has_any() const { return (bits_ & 2) != 0; }
  bool has_parameter(std::size_t n) const { return n < 60 && (bits_ >> (n + 2) & 1) != 0; }
  bool only_fresh() const { return (bits_ & ~std::uint64_t{1}) == 0; }
  bool join(Origins other) {
    const std::uint64_t before = bits_;
    bits_ |= other.bits_;
    return bits_ != before;
  }
  friend bool operator==(Origins, Origins) = default;

private:
  Origins() = default;
  explicit Origins(std::uint64_t bits) : bits_(bits) {}
  std::uint64_t bits_ = 0;
};

class ArrayOrigins {
public:
  explicit ArrayOrigins(const Function& function);
  Origins of(Var x) const;

private:
  std::unordered_map<Var, Origins> of_;
};

} // namespace sourir
