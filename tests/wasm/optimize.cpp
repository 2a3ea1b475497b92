#include "tests/wasm/optimize.h"

#include "sourir/bisim/lockstep.h"
#include "sourir/os/exit_status.h"
#include "sourir/passes/run_pipeline.h"
#include "sourir/semantics/value.h"
#include "sourir/syntax/text/parser.h"

#include <cstdlib>

namespace boost {

// What Boost calls where it would throw.
[[noreturn]] void throw_exception(const std::exception&) { std::abort(); }
struct source_location;
[[noreturn]] void throw_exception(const std::exception&, const source_location&) { std::abort(); }

} // namespace boost

namespace sourir {

int optimize(Program& program, const std::string& pipeline, const std::vector<std::string>& lines,
             Names& names) {
  auto parsed = parse_pipeline(pipeline);
  if (const auto* error = std::get_if<PipelineError>(&parsed))
    return say(exit_status::kUsage, error->message);
  PipelineHooks hooks;
  hooks.compose_maps = true;
  PipelineResult made = run_pipeline(std::get<Pipeline>(parsed), program, names, Feedback(), hooks);
  if (!made.error.empty()) return say(exit_status::kUsage, made.error);
  std::vector<Value> reads;
  for (const std::string& line : lines)
    if (const auto literal = parse_literal(line, names)) reads.push_back(to_value(*literal));
  const LockstepVerdict verdict =
      check_lockstep(program, made.program, *made.map, {reads}, LockstepOptions(), names);
  // Exits of the program itself that are wrong: passes may rely on them, so it runs as it is.
  if (verdict.input_at_fault) return 0;
  if (verdict.agreement == Agreement::Different) return say(exit_status::kFound, verdict.report);
  program = std::move(made.program);
  return 0;
}

} // namespace sourir
