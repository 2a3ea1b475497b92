#include "sourir/semantics/extend_program.h"

#include "sourir/semantics/iterations.h"

namespace sourir {

void enter_instead(Config& c, const ResolvedVersion& version) {
  c.stack.resize(c.base + c.code->parameters);
  c.stack.resize(c.base + version.slots.size(), Value::unbound());
  c.code = &version;
}

void move_into(Config& c, const ResolvedVersion& code, const std::vector<Slot>& with) {
  std::vector<Value> values;
  for (const Slot from : with) values.push_back(c.env()[from]);
  values.resize(code.slots.size(), Value::unbound());
  c.stack.resize(c.base);
  c.stack.insert(c.stack.end(), values.begin(), values.end());
  c.code = &code;
  c.pc = 0;
}

bool took_exit(const StepResult& r) {
  return r.rule != nullptr && (r.rule->name == "AssumeDeopt" || r.rule->name == "AssumeLeave" ||
                               r.rule->name == "AnchorDeopt");
}

bool is_counted_event(const ResolvedVersion& code, Pc pc, const StepResult& r) {
  return is_back_edge(code.instrs[pc], pc) ||
         std::holds_alternative<resolved::Call>(code.instrs[pc]) || took_exit(r);
}

} // namespace sourir
