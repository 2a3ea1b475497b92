#include "sourir/syntax/type_set.h"

namespace sourir {

std::string type_name(Kind kind, bool elements) {
  std::string name(kTypeNames[static_cast<std::size_t>(kind)]);
  if (!elements) return name;
  return kind == Kind::Nil ? "any[]" : name + "[]";
}

std::string text_of(TypeSet types, std::string_view none) {
  std::string text;
  for (std::size_t type = 0; type < kTypes; ++type)
    if (types.has(static_cast<Kind>(type)))
      text.append(text.empty() ? "" : "|").append(kTypeNames[type]);
  return text.empty() ? std::string(none) : text;
}

} // namespace sourir
