// The types of values, and sets of them: results of analyses, type feedback of the baseline,
// samples, and the constraints of the generator of random programs.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

namespace sourir {

// A type of values; `(x is KIND)` tests it   [ext]
enum class Kind : std::uint8_t { Nil, Bool, Int, Float, String, Fun, Array };

inline constexpr std::size_t kTypes = 7;
inline constexpr std::array<std::string_view, kTypes> kTypeNames{"nil",    "bool", "int",  "float",
                                                                 "string", "fun",  "array"};

// Of samples. elements: the types of the elements of arrays that store them unboxed, as "int[]";
// nil: "any[]", of other arrays.
std::string type_name(Kind kind, bool elements);

// One byte: bit 1 << type. The highest bit is no type of the language: in native code it is set for
// a variable without a value (Tag::Unbound). No invariant; async-signal-safe.
class TypeSet {
public:
  constexpr TypeSet() = default; // none
  constexpr TypeSet(Kind type)
      : bits_(static_cast<std::uint8_t>(1U << static_cast<unsigned>(type))) {}
  constexpr TypeSet(std::initializer_list<Kind> types) {
    for (const Kind type : types) *this |= type;
  }
  static constexpr TypeSet from_bits(unsigned bits) {
    TypeSet set;
    set.bits_ = static_cast<std::uint8_t>(bits);
    return set;
  }
  static constexpr TypeSet all() { return from_bits((1U << kTypes) - 1); }

  constexpr std::uint8_t bits() const { return bits_; }
  constexpr bool empty() const { return bits_ == 0; }
  constexpr bool single() const { return std::has_single_bit(bits_); }
  constexpr bool several() const { return !empty() && !single(); }
  constexpr bool has(Kind type) const { return intersects(type); }
  constexpr bool intersects(TypeSet other) const { return (bits_ & other.bits_) != 0; }
  constexpr bool within(TypeSet other) const { return (bits_ & ~other.bits_) == 0; }
  // The type, if it is the only one.
  constexpr std::optional<Kind> only() const {
    if (!single() || !within(all())) return std::nullopt;
    return static_cast<Kind>(std::countr_zero(bits_));
  }

  friend constexpr TypeSet operator|(TypeSet a, TypeSet b) { return from_bits(a.bits_ | b.bits_); }
  friend constexpr TypeSet operator&(TypeSet a, TypeSet b) { return from_bits(a.bits_ & b.bits_); }
  friend constexpr TypeSet operator-(TypeSet a, TypeSet b) { return from_bits(a.bits_ & ~b.bits_); }
  constexpr TypeSet& operator|=(TypeSet other) { return *this = *this | other; }
  constexpr TypeSet& operator&=(TypeSet other) { return *this = *this & other; }
  friend constexpr bool operator==(TypeSet, TypeSet) = default;

private:
  std::uint8_t bits_ = 0;
};
static_assert(sizeof(TypeSet) == 1);

inline constexpr TypeSet kAnyType = TypeSet::all();
inline constexpr TypeSet kNumbers{Kind::Int, Kind::Float};

// "int|float"; `none` for the empty set.
std::string text_of(TypeSet types, std::string_view none);

} // namespace sourir
