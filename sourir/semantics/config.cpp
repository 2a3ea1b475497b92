#include "sourir/semantics/config.h"

#include "sourir/semantics/eval.h"

namespace sourir {

const char *name_of(Limit limit) {
  static constexpr const char *kNames[] = {"none", "fuel", "heap", "depth", "array", "output"};
  return kNames[static_cast<std::size_t>(limit)];
}

Config start(const LinkedProgram &program, Input &input, const Schedule &schedule,
             const Limits &limits) {
  Config c;
  c.program = &program;
  c.input = &input;
  c.schedule = &schedule;
  c.limits = &limits;
  const auto &versions = program.main().dispatch;
  for (const InstrStream *version : versions) {
    c.code = version;
    c.stack.assign(version->slots.size(), Value::unbound());
    if (first_failing(c.heap, c.env(), version->when) == version->when.size())
      break;
  }
  return c;
}

bool same_state(const Config &a, const Config &b) {
  return a.code == b.code && a.pc == b.pc && a.frames == b.frames && a.base == b.base &&
         a.stack == b.stack && a.heap.blocks == b.heap.blocks &&
         a.input_position == b.input_position && a.opportunities == b.opportunities &&
         a.returned == b.returned && a.steps == b.steps && a.output_bytes == b.output_bytes &&
         a.result == b.result;
}

} // namespace sourir
