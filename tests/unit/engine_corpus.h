// The programs of the corpus in an engine and in the reference.
#pragma once

#include "sourir/syntax/json/load.h"
#include "tests/unit/engine_runs.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace sourir::testing {

namespace fs = std::filesystem;

inline std::string text_of(const fs::path& path) {
  std::ifstream in(path);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// The lines "# stdin: ..." of a file test.
inline std::vector<Value> stdin_of(const std::string& text, Names& names) {
  std::vector<Value> values;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (const std::string start = "# stdin: "; line.starts_with(start))
      if (const auto literal = parse_literal(line.substr(start.size()), names))
        values.push_back(to_value(*literal));
  return values;
}

struct Counts {
  int programs = 0, stuck = 0, limits = 0, left = 0;
};

inline void compare(const fs::path& path, const std::string& deopt,
                    const native::NativeSettings& settings, Counts& counts) {
  Names names;
  const std::string text = text_of(path);
  const Loaded loaded = load(path.string(), text, names);
  if (loaded.problems.has_errors()) return;
  const LinkedProgram program(loaded.program, names);
  EngineCase c{program, stdin_of(text, names), names};
  c.limits.fuel = 300'000;
  c.limits.heap = 1 << 24; // of both, though one of them reclaims
  c.limits.output = 1 << 20;
  c.schedule = *parse_schedule(deopt, names);
  const Seen reference = seen_in_reference(c);
  if (reference.limit == Limit::Heap) return;
  EXPECT_EQ(difference(c, settings), "") << path << " --deopt=" << deopt;
  ++counts.programs;
  counts.stuck += reference.kind == OutcomeKind::Stuck;
  counts.limits += reference.kind == OutcomeKind::Limit;
  counts.left += reference.text.find("\n0 exits") == std::string::npos;
}

inline Counts compare_all(const std::string& deopt,
                          const native::NativeSettings& settings = {
                              .engine = native::NativeSettings::Engine::Baseline}) {
  Counts counts;
  for (const char* folder : {"examples", "tests/filetests/run", "tests/filetests/opt"})
    for (const auto& entry : fs::directory_iterator(fs::path(SOURIR_SOURCE_DIR) / folder))
      if (entry.path().extension() == ".sou") compare(entry.path(), deopt, settings, counts);
  return counts;
}

} // namespace sourir::testing
