#include "sourir/semantics/run.h"

namespace sourir {

namespace {

constexpr std::uint64_t kInterruptMask = 4095;

void count(Statistics& s, const Config& c, const StepResult& r) {
  ++s.rules[index_of(*r.rule)];
  s.prints += r.action.kind == ActionKind::Print;
  s.reads += r.action.kind == ActionKind::Read;
  s.max_depth = std::max<std::uint64_t>(s.max_depth, c.frames.size() + 1);
}

void total(Statistics& s, const Config& c) {
  s.steps = c.steps;
  s.opportunities = c.opportunities;
  s.blocks = c.heap.blocks.size();
  s.heap_bytes = c.heap.bytes;
  for (const RuleRow& row : all_rules()) {
    const std::uint64_t n = s.rules[index_of(row)];
    if (row.name == "Call") s.calls += n;
    if (row.name == "AssumeLeave" || row.name == "AnchorDeopt") s.forced += n;
    if (row.name == "AssumeDeopt" || row.name == "AssumeLeave" || row.name == "AnchorDeopt")
      s.deoptimizations += n;
  }
}

} // namespace

const char* name_of(OutcomeKind kind) {
  static constexpr const char* kNames[] = {"stop", "stuck", "limit", "interrupted"};
  return kNames[static_cast<std::size_t>(kind)];
}

Outcome run(Config& c, const RunHooks& hooks) {
  std::string line;
  StepResult r;
  do {
    const ResolvedVersion* code = c.code;
    const Pc pc = c.pc;
    r = step(c, line);
    if (!r.rule) break;
    if (hooks.statistics) count(*hooks.statistics, c, r);
    if (r.action.kind == ActionKind::Print) {
      if (hooks.print) hooks.print(line);
      line.clear();
    }
    if (hooks.trace) hooks.trace(c, r, code, pc);
    if (hooks.interrupt && (c.steps & kInterruptMask) == 0 && *hooks.interrupt) break;
  } while (r.status == StepStatus::Stepped);
  if (hooks.statistics) total(*hooks.statistics, c);
  return describe(c, r);
}

int exit_code(Value result) {
  if (result.is(Tag::Int))
    return static_cast<int>(static_cast<std::uint64_t>(result.as_int()) & 0xFF);
  return result.is_true() ? 1 : 0;
}

} // namespace sourir
