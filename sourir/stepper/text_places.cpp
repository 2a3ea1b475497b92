#include "sourir/stepper/text_places.h"

#include "sourir/semantics/text/state_text.h"
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

Span TextPlaces::name(const ResolvedVersion& code, Pc pc, std::uint32_t index) const {
  const auto found = spans_.find(code.source);
  if (found == spans_.end() || pc >= code.source->body.size()) return span(code, pc);
  const LeadingTrivia& leading = code.source->body[pc].leading;
  const std::size_t at =
      found->second->stmts[pc].first + leading.labels.size() + leading.scopes.size() + index;
  return at < found->second->names.size() ? found->second->names[at] : span(code, pc);
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

StepProgram::StepProgram(Loaded loaded, Names& names, Notation notation)
    : loaded_(std::move(loaded)), names_(names), notation_(notation),
      linked_(loaded_.program, names), places_(loaded_, names) {
  for (const Function& function : loaded_.program.functions)
    for (const Version& version : function.versions) {
      const ResolvedVersion* code = linked_.version(function.name, version.name);
      versions_.push_back(code);
      for (Pc pc = 0; pc < version.body.size(); ++pc)
        positions_[line({code, pc})].push_back({code, pc});
    }
}

std::string StepProgram::instruction(StepPosition at) const {
  const auto& body = at.code->source->body;
  if (at.pc >= body.size()) return "(end of main: stop)";
  const std::string text = print(body[at.pc].instr, names_, notation_);
  const std::size_t end = text.find('\n');
  return end == std::string::npos ? text : text.substr(0, end) + " ... }";
}

std::string StepProgram::expression(const std::string& printed) const {
  const bool operation = printed.size() > 2 && printed.front() == '(' && printed.back() == ')' &&
                         printed.find(" is ") == std::string::npos;
  if (notation_ == Notation::Paper && operation) return printed.substr(1, printed.size() - 2);
  return printed;
}

const std::vector<StepPosition>& StepProgram::positions_on(std::uint32_t line) const {
  static const std::vector<StepPosition> kNone;
  const auto found = positions_.find(line);
  return found == positions_.end() ? kNone : found->second;
}

} // namespace sourir
