// Runs of a program in the reference and in an engine, as texts that can be compared.
#pragma once

#include "native/engine/engine.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/text/printer.h"

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

// Frames of native code that wait show no values.
enum class Values : std::uint8_t { OfAllFrames, OfTheInnermost };

struct Seen {
  OutcomeKind kind = OutcomeKind::Stop;
  Limit limit = Limit::None;
  std::string text; // lines printed, how it ended, where, with which values
};

inline Seen seen(std::string lines, const Outcome& outcome, const Config& last, const Names& names,
                 std::uint64_t exits, std::uint64_t forced, Values values) {
  Seen out{outcome.kind, outcome.limit, std::move(lines)};
  const auto add = [&](const std::string& text) { out.text += text + "\n"; };
  if (outcome.kind == OutcomeKind::Stop) add("stop " + show(outcome.result, last.heap, names));
  add(std::string(name_of(outcome.reason)) + " " + name_of(outcome.limit) + " " + outcome.message);
  add(std::to_string(exits) + " exits, " + std::to_string(forced) + " of them forced");
  if (outcome.kind == OutcomeKind::Stop) return out;
  add("frames: " + std::to_string(outcome.depth));
  for (const FrameReport& f : outcome.frames) {
    add(print(f.place, names));
    if (values == Values::OfTheInnermost && &f != &outcome.frames.front()) continue;
    for (const auto& [x, value] : f.values) add("  " + std::string(names.text(x)) + " = " + value);
  }
  return out;
}

inline Seen seen_in_reference(const EngineCase& c, Values values = Values::OfAllFrames) {
  Input input(c.inputs, c.names);
  Config config = start(c.program, input, c.schedule, c.limits);
  std::string lines;
  Statistics statistics;
  RunHooks hooks;
  hooks.print = [&](std::string_view line) { lines += std::string(line) + "\n"; };
  hooks.statistics = &statistics;
  const Outcome outcome = run(config, hooks);
  return seen(std::move(lines), outcome, config, c.names, statistics.deoptimizations,
              statistics.forced, values);
}

inline Values values_of(const native::NativeSettings& settings) {
  return settings.engine == native::NativeSettings::Engine::Baseline ? Values::OfAllFrames
                                                                     : Values::OfTheInnermost;
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
              run.statistics.forced, values_of(settings));
}

// What differs; empty: nothing. The fuel of the two is not the same, so that where the reference
// has used it up nothing is compared.
inline std::string difference(const EngineCase& c,
                              const native::NativeSettings& settings = {
                                  .engine = native::NativeSettings::Engine::Baseline}) {
  const Seen expected = seen_in_reference(c, values_of(settings));
  if (expected.limit == Limit::Fuel) return "";
  const Seen got = seen_in_engine(c, settings);
  if (expected.kind == got.kind && expected.text == got.text) return "";
  return "the reference:\n" + expected.text + "\nthe engine:\n" + got.text;
}

} // namespace sourir::testing
