#include "sourir/semantics/value.h"

#include "sourir/syntax/match.h"

#include <cmath>

namespace sourir {

Value to_value(const Literal& literal) {
  return match(
      literal, [](Nil) { return Value(); }, [](bool b) { return Value(b); },
      [](std::int64_t n) { return Value(n); }, [](Float f) { return Value(f.value); },
      [](Str s) { return Value(s); }, [](FunName f) { return Value(f); });
}

std::optional<Literal> to_literal(Value value) {
  switch (value.tag()) {
  case Tag::Nil: return Nil{};
  case Tag::Bool: return value.as_bool();
  case Tag::Int: return value.as_int();
  case Tag::Float:
    if (!std::isfinite(value.as_float())) return std::nullopt;
    return Float{value.as_float()};
  case Tag::String: return value.as_string();
  case Tag::Fun: return value.as_fun();
  case Tag::Array:
  case Tag::Unbound: break;
  }
  return std::nullopt;
}

Kind kind_of(Value value) { return static_cast<Kind>(value.tag()); }

} // namespace sourir
