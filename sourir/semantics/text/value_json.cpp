#include "sourir/semantics/text/value_json.h"

#include "sourir/syntax/text/printer.h"

namespace sourir {

Json value_json(Value v, const Heap& heap, const Names& names, std::size_t limit) {
  switch (v.tag()) {
  case Tag::Nil:
  case Tag::Unbound: return {{"nil", nullptr}};
  case Tag::Bool: return {{"bool", v.as_bool()}};
  case Tag::Int: return {{"int", std::to_string(v.as_int())}};
  case Tag::Float: return {{"float", print_float(v.as_float())}};
  case Tag::String: return {{"string", names.text(v.as_string())}};
  case Tag::Fun: return {{"fun", names.text(v.as_fun())}};
  case Tag::Array: return {{"array", show(v, heap, names, limit)}};
  }
  return {};
}

Json environment_json(const ResolvedVersion& code, Env env, const Heap& heap, const Names& names) {
  Json out = Json::object();
  for (Slot slot = 0; slot < code.slots.size(); ++slot)
    if (!env[slot].is(Tag::Unbound))
      out[std::string(names.text(code.slots[slot]))] = value_json(env[slot], heap, names);
  return out;
}

std::string json_line(const Json& json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string json_text(const Json& json) {
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace sourir
