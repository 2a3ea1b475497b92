// Values of the language: v ::= lit | F | a (dissertation 2.6), with a tag, in sixteen bytes.
#pragma once

#include "sourir/syntax/expr.h"

#include <bit>
#include <cstdint>
#include <optional>

namespace sourir {

// The types in the order of Kind; Unbound is the tag of a variable that is not in the environment.
enum class Tag : std::uint8_t { Nil, Bool, Int, Float, String, Fun, Array, Unbound };

// The index of a block of the heap.
struct Address {
  std::uint32_t index = 0;
  friend bool operator==(Address, Address) = default;
};

class Value {
public:
  constexpr Value() = default; // nil
  constexpr Value(Nil) {}
  constexpr explicit Value(bool b) : bits_(b ? 1 : 0), tag_(Tag::Bool) {}
  constexpr explicit Value(std::int64_t n) : bits_(static_cast<std::uint64_t>(n)), tag_(Tag::Int) {}
  constexpr explicit Value(double d) : bits_(std::bit_cast<std::uint64_t>(d)), tag_(Tag::Float) {}
  constexpr explicit Value(Str s) : bits_(s.id), tag_(Tag::String) {}
  constexpr explicit Value(FunName f) : bits_(f.id), tag_(Tag::Fun) {}
  constexpr explicit Value(Address a) : bits_(a.index), tag_(Tag::Array) {}
  static constexpr Value unbound() {
    Value v;
    v.tag_ = Tag::Unbound;
    return v;
  }

  Tag tag() const { return tag_; }
  bool is(Tag tag) const { return tag_ == tag; }
  bool is_true() const { return tag_ == Tag::Bool && bits_ != 0; }
  bool as_bool() const { return bits_ != 0; }
  std::int64_t as_int() const { return static_cast<std::int64_t>(bits_); }
  double as_float() const { return std::bit_cast<double>(bits_); }
  Str as_string() const { return Str{static_cast<std::uint32_t>(bits_)}; }
  FunName as_fun() const { return FunName{static_cast<std::uint32_t>(bits_)}; }
  Address as_array() const { return Address{static_cast<std::uint32_t>(bits_)}; }

  // Bits and tag. Native code keeps a pointer as the bits of an array, and reads and writes values
  // in memory: the bits at offset 0, the tag as one byte at offset 8.
  static constexpr Value of_bits(std::uint64_t bits, Tag tag) {
    Value v;
    v.bits_ = bits;
    v.tag_ = tag;
    return v;
  }
  std::uint64_t bits() const { return bits_; }

  // The same value to the bit. (The language's == is primop.h's.)
  friend bool operator==(Value, Value) = default;

private:
  std::uint64_t bits_ = 0;
  Tag tag_ = Tag::Nil;
};

Value to_value(const Literal& literal);
// Empty for arrays, floats that are not finite and Unbound: they have no literal.
std::optional<Literal> to_literal(Value value);
Kind kind_of(Value value);

} // namespace sourir
