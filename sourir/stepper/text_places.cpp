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

void TextPlaces::add(const Version& version, VersionSpans spans) {
  spans_.emplace(&version, &added_.emplace_back(std::move(spans)));
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
      add_positions(*code);
    }
}

void StepProgram::add_positions(const ResolvedVersion& code) {
  versions_.push_back(&code);
  for (Pc pc = 0; pc < code.source->body.size(); ++pc)
    positions_[line({&code, pc})].push_back({&code, pc});
}

namespace {

void shift(Span& span, std::uint32_t by) { span.begin += by, span.end += by; }

} // namespace

void StepProgram::add(const ResolvedVersion& code, const std::vector<Var>& parameters,
                      const std::string& comment) {
  Program alone;
  alone.functions.push_back({code.function, parameters, {*code.source}, false, {}});
  const std::string text = print(alone, names_, notation_);
  Loaded added = load("", text, names_, {.check = false});
  std::string all(loaded_.source.text());
  if (!all.ends_with('\n')) all += '\n';
  all += "\n# " + comment + "\n";
  const auto by = static_cast<std::uint32_t>(all.size());
  loaded_.source = Source(loaded_.source.name(), all + text);
  VersionSpans spans = std::move(added.spans.functions.at(0).versions.at(0));
  shift(spans.name, by);
  for (Span& span : spans.header) shift(span, by);
  for (StmtSpans& stmt : spans.stmts) shift(stmt.instr, by);
  for (Span& span : spans.names) shift(span, by);
  places_.add(*code.source, std::move(spans));
  add_positions(code);
}

std::optional<StepPosition> StepProgram::find(const Place& place) const {
  if (const auto known = linked_.find(place)) return StepPosition{known->first, known->second};
  for (const ResolvedVersion* code : versions_) {
    if (code->function != place.function || code->version != place.version) continue;
    const auto label = place.label ? code->positions.find(*place.label) : code->positions.end();
    if (place.label && label == code->positions.end()) continue;
    const Pc pc = place.offset + (place.label ? label->second : 0);
    if (pc < code->instrs.size()) return StepPosition{code, pc};
  }
  return std::nullopt;
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
