// What every accepted program must survive. A violated condition aborts, which libFuzzer reports.
#pragma once

#include "sourir/semantics/history.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/json/json_form.h"
#include "sourir/syntax/json/load.h"
#include "sourir/syntax/text/printer.h"
#include "sourir/syntax/wellformed.h"

#include <cstdio>
#include <cstdlib>
#include <string>

namespace sourir::fuzzing {

inline void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "violated: %s\n", what);
  std::abort();
}

// Printed in either notation the program reads back the same; so does its JSON form.
inline void round_trips(const Parsed& parsed, Names& names) {
  for (const Notation notation : {Notation::Prototype, Notation::Paper}) {
    Diagnostics problems;
    const Source printed("printed", print(parsed.program, names, notation));
    require(parse(printed, names, problems).program == parsed.program, "parse(print(p)) == p");
    require(!problems.has_errors(), "printed programs have no errors");
  }
  Diagnostics problems;
  const Source json("json", to_json(parsed.program, parsed.spans, names));
  const Parsed back = from_json(json, names, problems);
  require(!problems.has_errors() && back.program == parsed.program, "from_json(to_json(p)) == p");
  require(back.spans == parsed.spans, "spans survive JSON");
}

// A short run under a schedule, forward and all the way back.
inline void runs(const Program& program, Names& names, const char* deopt) {
  const LinkedProgram linked(program, names);
  const Schedule schedule = *parse_schedule(deopt, names);
  Limits limits;
  limits.fuel = 300;
  limits.heap = 1 << 20;
  limits.depth = 50;
  limits.output = 1 << 14;
  limits.stack = 1 << 22;
  Input input({Value(std::int64_t{1}), Value(true), Value(Nil{})}, names);
  const Config initial = start(linked, input, schedule, limits);
  History history(initial);
  StepResult last;
  do last = history.forward();
  while (last.status == StepStatus::Stepped);
  (void)describe(history.config(), last);
  (void)premises(history.config());
  while (history.back()) {
  }
  require(same_state(history.config(), initial), "stepping back arrives at the start");
}

inline void accepted(const Parsed& parsed, Names& names) {
  round_trips(parsed, names);
  Diagnostics normal;
  check_normal_form(parsed.program, parsed.spans, names, normal);
  for (const char* deopt : {"never", "always", "every:2"}) runs(parsed.program, names, deopt);
}

} // namespace sourir::fuzzing
