// The observable behaviour of a random program, for comparing programs.
#pragma once

#include "sourir/bisim/generate/random_program.h"
#include "sourir/semantics/run.h"

#include <optional>
#include <string>
#include <vector>

namespace sourir::testing {

// What it prints and how it ends; empty: it reached a limit.
inline std::optional<std::vector<std::string>>
shown(const Program& program, Names& names, const RandomCase& random, const std::string& deopt) {
  const LinkedProgram linked(program, names);
  Input input(random.inputs, names);
  const Schedule schedule = *parse_schedule(deopt, names);
  Limits limits;
  limits.fuel = 200'000;
  limits.depth = 10'000;
  Config c = start(linked, input, schedule, limits);
  std::vector<std::string> lines;
  RunHooks hooks;
  hooks.print = [&](std::string_view line) { lines.emplace_back(line); };
  const Outcome outcome = run(c, hooks);
  if (outcome.kind == OutcomeKind::Limit) return std::nullopt;
  lines.push_back(outcome.kind == OutcomeKind::Stop ? std::to_string(exit_code(outcome.result))
                                                    : name_of(outcome.reason));
  return lines;
}

} // namespace sourir::testing
