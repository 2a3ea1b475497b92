// A program from text, linked and ready to run, for tests.
#pragma once

#include "sourir/semantics/history.h"
#include "sourir/semantics/run.h"
#include "sourir/syntax/json/load.h"

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace sourir::testing {

class Running {
public:
  explicit Running(const std::string& text, std::vector<Value> inputs = {},
                   const std::string& deopt = "never", const Limits& limits = {})
      : loaded_(load("test.sou", text, names_)), limits_(limits),
        input_(std::move(inputs), names_) {
    if (loaded_.problems.has_errors())
      throw std::runtime_error(render(loaded_.problems.sorted().front(), loaded_.source, false));
    program_ = std::make_unique<LinkedProgram>(loaded_.program, names_);
    schedule_ = *parse_schedule(deopt, names_);
    if (const Result<> resolved = resolve(schedule_, *program_); !resolved)
      throw std::runtime_error(resolved.error().message);
  }

  Config start() { return sourir::start(*program_, input_, schedule_, limits_); }
  // Runs to the end; the printed lines are in `lines`, the counts in `statistics`.
  Outcome run() {
    Config c = start();
    RunHooks hooks;
    hooks.print = [&](std::string_view line) { lines.emplace_back(line); };
    hooks.statistics = &statistics;
    return sourir::run(c, hooks);
  }
  Names& names() { return names_; }
  const LinkedProgram& program() const { return *program_; }

  std::vector<std::string> lines;
  Statistics statistics;

private:
  Names names_;
  Loaded loaded_;
  Limits limits_;
  Input input_;
  Schedule schedule_;
  std::unique_ptr<LinkedProgram> program_;
};

} // namespace sourir::testing
