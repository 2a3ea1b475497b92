// Case analysis over a std::variant. There is no generic fallback on purpose: a new alternative
// is a compile error in every match.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>
#include <variant>

namespace sourir {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};

template <class Variant, class... Cases>
decltype(auto) match(Variant&& variant, Cases&&... cases) {
  return std::visit(Overloaded<std::decay_t<Cases>...>{std::forward<Cases>(cases)...},
                    std::forward<Variant>(variant));
}

// The index of an alternative: index_in<T, std::variant<A, T>> is 1.
template <class T, class Variant, std::size_t I = 0>
constexpr std::size_t index_in() {
  if constexpr (std::is_same_v<T, std::variant_alternative_t<I, Variant>>)
    return I;
  else
    return index_in<T, Variant, I + 1>();
}

} // namespace sourir
