#include "sourir/stepper/text_places.h"

#include "sourir/semantics/text/version_text.h"
#include "sourir/syntax/text/printer.h"

namespace sourir {

TextPlaces::TextPlaces(const Loaded& loaded, const Names& names) : loaded_(loaded), names_(names) {
  const auto& functions = loaded.program.functions;
  const auto& known = loaded.spans.functions;
  for (std::size_t f = 0; f < functions.size() && f < known.size(); ++f)
    for (std::size_t v = 0; v < functions[f].versions.size() && v < known[f].versions.size(); ++v)
      spans_.emplace(&functions[f].versions[v], &known[f].versions[v]);
}

Span TextPlaces::span(const ResolvedVersion& code, Pc pc) const {
  const auto found = spans_.find(code.source);
  if (found == spans_.end()) return {};
  const VersionSpans& spans = *found->second;
  if (pc >= spans.stmts.size()) return spans.name;
  const Span here = spans.stmts[pc].instr;
  if (here.begin != here.end || pc == 0) return here;
  return {spans.stmts[pc - 1].instr.end, spans.stmts[pc - 1].instr.end};
}

LineColumn TextPlaces::at(const ResolvedVersion& code, Pc pc) const {
  return loaded_.source.position(span(code, pc).begin);
}

std::string TextPlaces::place(const ResolvedVersion& code, Pc pc) const {
  return print(code.place(pc), names_);
}

std::string TextPlaces::instruction(const ResolvedVersion& code, Pc pc) const {
  return instruction_text(code, pc, names_);
}

Pc TextPlaces::call_position(const ResolvedVersion& code, Pc pc) {
  return pc > 0 && std::holds_alternative<resolved::Call>(code.instrs[pc - 1]) ? pc - 1 : pc;
}

} // namespace sourir
