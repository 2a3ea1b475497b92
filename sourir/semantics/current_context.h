// The context of a call by its arguments, and whether a context holds for them (dissertation 3.2),
// over any memory (eval.h).
#pragma once

#include "sourir/semantics/eval.h"
#include "sourir/semantics/link.h"
#include "sourir/syntax/context.h"

#include <algorithm>

namespace sourir {

// The most precise context that holds: it entails each one without opaque guards that does.
template <Memory M>
Context current_context(std::span<const Value> arguments, const M& memory) {
  Context current;
  const std::size_t n = std::min(arguments.size(), Context::kParameters);
  for (std::size_t i = 0; i < n; ++i) {
    const Value v = arguments[i];
    current.add_types(i, kind_of(v));
    if (const auto literal = to_literal(v)) current.add_equal(i, *literal);
    for (const Kind type : {Kind::Bool, Kind::Int, Kind::Float})
      if (v.is(Tag::Array) && memory.elements_are(v, static_cast<Tag>(type)))
        current.add_elements(i, type);
    for (std::size_t j = 0; j < i; ++j)
      if (!equal(v, arguments[j])) current.add_unequal(j, i);
  }
  return current;
}

// Whether a context of a function with these parameters holds.
template <Memory M>
bool holds(const Context& context, std::span<const Var> parameters,
           std::span<const Value> arguments, const M& memory) {
  if (context.is_never()) return false;
  const std::size_t n = std::min(arguments.size(), Context::kParameters);
  for (std::size_t i = 0; i < n; ++i) {
    const Value v = arguments[i];
    const Literal* const literal = context.constant(i);
    if (!context.types(i).has(kind_of(v))) return false;
    if (literal != nullptr && !equal(v, to_value(*literal))) return false;
    for (const Kind type : {Kind::Bool, Kind::Int, Kind::Float})
      if (context.elements(i).has(type) && !memory.elements_are(v, static_cast<Tag>(type)))
        return false;
    for (std::size_t j = 0; j < i; ++j)
      if (context.unequal(j, i) && equal(arguments[j], v)) return false;
  }
  return std::ranges::all_of(context.opaque(), [&](const Expr& guard) {
    return holds(memory, arguments.data(), link_guard(guard, parameters));
  });
}

} // namespace sourir
