// Engines against the reference: lines, outcome, message, frames with their values, exits.
#include "tests/property/properties.h"
#include "tests/unit/engine_runs.h"

namespace sourir::testing {

void the_baseline_does_what_the_reference_does(Case& c) {
  const LinkedProgram program(c.random.program, c.names);
  for (const std::string_view deopt :
       {"never", "always", "p:0.1:3", "every:3", "calls", "enter:any:5", c.random.deopt.c_str()}) {
    EngineCase engine{program, c.random.inputs, c.names};
    engine.limits.fuel = 2'000'000;
    engine.schedule = *parse_schedule(deopt, c.names);
    RC_ASSERT(resolve(engine.schedule, program).has_value());
    const std::string problem = difference(engine);
    if (!problem.empty()) RC_LOG() << "--deopt=" << deopt << "\n" << problem;
    RC_ASSERT(problem.empty());
  }
}

} // namespace sourir::testing
