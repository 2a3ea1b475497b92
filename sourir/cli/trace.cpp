#include "sourir/cli/trace.h"

#include "sourir/os/terminal.h"
#include "sourir/semantics/text/value_json.h"

#include <fmt/format.h>

#include <algorithm>

namespace sourir {

namespace {

constexpr std::size_t kWidestPlace = 32, kWidestInstruction = 48, kRuleWidth = 11;

// An instruction that fits into its column.
std::string column(const std::string& instruction) {
  if (instruction.size() <= kWidestInstruction) return instruction;
  return cut(instruction, kWidestInstruction - 3);
}

} // namespace

Tracer::Tracer(const TextPlaces& places, const LinkedProgram& program, Output& out, Form form)
    : places_(places), out_(out), form_(form) {
  if (form == Form::Json) return;
  for (const Function& f : places.program().functions)
    for (const Version& v : f.versions) {
      const ResolvedVersion& code = *program.version(f.name, v.name);
      for (Pc pc = 0; pc < code.instrs.size(); ++pc) {
        place_width_ = std::max(place_width_, places.place(code, pc).size());
        instruction_width_ = std::max(instruction_width_, places.instruction(code, pc).size());
      }
    }
  place_width_ = std::min(place_width_, kWidestPlace);
  instruction_width_ = std::min(instruction_width_, kWidestInstruction);
}

void Tracer::begin(const Config& c) {
  if (form_ == Form::Json)
    out_.write(json_line({{"format", "trace"},
                          {"version", 1},
                          {"engine", "reference"},
                          {"file", places_.source().name()}}));
  coming_ = look_ahead(c);
}

void Tracer::printed(std::string_view line) {
  out_.flush(); // what was told so far stands before the line
  printed_ = line;
}

void Tracer::step(const Config& c, const StepResult& r, const ResolvedVersion* code, Pc pc) {
  if (form_ == Form::Text)
    step_text(c, r, *code, pc);
  else
    step_json(c, r, *code, pc);
  coming_ = look_ahead(c);
}

void Tracer::step_text(const Config& c, const StepResult& r, const ResolvedVersion& code, Pc pc) {
  const std::string change = effect_text({places_, c, r, code, pc, coming_, printed_});
  std::string line = fmt::format("{:>6}  {:<{}}  {:<{}}  {:<{}}  {}", c.steps, r.rule->name,
                                 kRuleWidth, places_.place(code, pc), place_width_,
                                 printable(column(places_.instruction(code, pc))),
                                 instruction_width_, printable(change));
  line.erase(line.find_last_not_of(' ') + 1);
  out_.write(line + "\n");
}

void Tracer::step_json(const Config& c, const StepResult& r, const ResolvedVersion& code, Pc pc) {
  const MadeStep made{places_, c, r, code, pc, coming_, printed_};
  out_.write(json_line({{"step", c.steps},
                        {"rule", r.rule->name},
                        {"place", places_.place(code, pc)},
                        {"line", places_.at(code, pc).line},
                        {"effect", effect_json(made)},
                        {"action", action_json(made)}}));
}

void Tracer::end(const std::string& outcome) {
  if (form_ == Form::Json) out_.write(outcome);
}

} // namespace sourir
