#include "sourir/semantics/text/version_text.h"

#include "sourir/syntax/text/printer.h"

namespace sourir {

std::string version_name(const ResolvedVersion& code, const Names& names) {
  return std::string(names.text(code.function)) + "." + std::string(names.text(code.version));
}

std::string position_name(const ResolvedVersion& code, Pc pc, const Names& names) {
  return version_name(code, names) + "+" + std::to_string(pc);
}

// A continuation has names of its own instead of the parameters.
std::string version_text(const ResolvedVersion& code, const Names& names) {
  Program alone;
  Function& f = alone.functions.emplace_back();
  f.name = code.function;
  if (!code.source->cont) f.params.assign(code.slots.begin(), code.slots.begin() + code.parameters);
  f.versions.push_back(*code.source);
  return print(alone, names);
}

std::string instruction_text(const ResolvedVersion& code, Pc pc, const Names& names) {
  const auto& body = code.source->body;
  if (pc >= body.size()) return "(end of main)";
  const std::string text = print(body[pc].instr, names);
  const std::size_t end = text.find('\n');
  return end == std::string::npos ? text : text.substr(0, end) + " ... }";
}

std::vector<std::string> exit_targets(const resolved::Exit& exit, const Names& names) {
  std::vector<std::string> out{print(exit.frame.code->place(exit.frame.pc), names)};
  for (const resolved::OuterFrame& o : exit.outer)
    out.push_back(print(o.frame.code->place(o.frame.pc), names));
  return out;
}

} // namespace sourir
