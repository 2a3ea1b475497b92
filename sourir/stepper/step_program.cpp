#include "sourir/stepper/step_program.h"

namespace sourir {

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
