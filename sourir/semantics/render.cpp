#include "sourir/semantics/render.h"

#include "sourir/syntax/text/printer.h"

namespace sourir {

void append_scalar(std::string& out, Value v, const Names& names) {
  if (v.is(Tag::Unbound))
    out += "(not in scope)";
  else if (v.is(Tag::Float))
    out += print_float(v.as_float());
  else if (v.is(Tag::Int))
    out += std::to_string(v.as_int());
  else
    out += print(*to_literal(v), names);
}

template bool render(std::string&, Value, const Heap&, const Names&, std::uint64_t);

std::string show(Value value, const Heap& heap, const Names& names, std::size_t limit) {
  std::string out;
  if (!render(out, value, heap, names, limit)) {
    while (limit > 0 && (static_cast<unsigned char>(out[limit]) & 0xC0) == 0x80)
      --limit; // not inside a UTF-8 sequence
    out.resize(limit);
    out += "...";
  }
  return out;
}

} // namespace sourir
