// A program in the reference and in an engine: what is seen of both, for comparing them.
#pragma once

#include "native/runtime/engine.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/printer.h"

#include <string>
#include <vector>

namespace sourir::testing {

struct EngineCase {
  const LinkedProgram& program;
  std::vector<Value> inputs;
  Names& names;
  Schedule schedule = {};
  Limits limits = {};
};

struct Seen {
  OutcomeKind kind = OutcomeKind::Stop;
  Limit limit = Limit::None;
  std::string text; // lines printed, how it ended, where, with which values
};

inline Seen seen(std::string lines, const Outcome& outcome, const Config& last, const Names& names,
                 std::uint64_t exits, std::uint64_t forced) {
  Seen out{outcome.kind, outcome.limit, std::move(lines)};
  const auto add = [&](const std::string& text) { out.text += text + "\n"; };
  if (outcome.kind == OutcomeKind::Stop) add("stop " + show(outcome.result, last.heap, names));
  add(std::string(name_of(outcome.reason)) + " " + name_of(outcome.limit) + " " + outcome.message);
  add(std::to_string(exits) + " exits, " + std::to_string(forced) + " of them forced");
  if (outcome.kind == OutcomeKind::Stop) return out;
  add("frames: " + std::to_string(outcome.depth));
  for (const FrameReport& f : outcome.frames) {
    add(print(f.place, names));
    for (const auto& [x, value] : f.values) add("  " + std::string(names.text(x)) + " = " + value);
  }
  return out;
}

inline Seen seen_in_reference(const EngineCase& c) {
  Input input(c.inputs, c.names);
  Config config = start(c.program, input, c.schedule, c.limits);
  std::string lines;
  Statistics statistics;
  RunHooks hooks;
  hooks.print = [&](std::string_view line) { lines += std::string(line) + "\n"; };
  hooks.statistics = &statistics;
  const Outcome outcome = run(config, hooks);
  return seen(std::move(lines), outcome, config, c.names, statistics.deoptimizations,
              statistics.forced);
}

inline Seen seen_in_engine(const EngineCase& c, const native::NativeSettings& settings) {
  Input input(c.inputs, c.names);
  std::string lines;
  native::EngineHooks hooks;
  hooks.print = [&](std::string_view line) { lines += std::string(line) + "\n"; };
  native::NativeSettings mine = settings;
  mine.limits = c.limits;
  const native::EngineRun run = run_engine(c.program, input, c.schedule, mine, hooks);
  return seen(std::move(lines), run.outcome, run.last, c.names, run.statistics.exits,
              run.statistics.forced);
}

// What differs; empty: nothing. The fuel of the two is not the same, so that where the reference
// has used it up nothing is compared.
inline std::string difference(const EngineCase& c, const native::NativeSettings& settings) {
  const Seen expected = seen_in_reference(c);
  if (expected.limit == Limit::Fuel) return "";
  const Seen got = seen_in_engine(c, settings);
  if (expected.kind == got.kind && expected.text == got.text) return "";
  return "the reference:\n" + expected.text + "\nthe engine:\n" + got.text;
}

// With the baseline.
inline std::string difference(const EngineCase& c) {
  native::NativeSettings settings;
  settings.engine = native::NativeSettings::Engine::Baseline;
  return difference(c, settings);
}

} // namespace sourir::testing
