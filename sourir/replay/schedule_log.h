// `run --tiers=schedule`: what the tiers did to a program, exactly enough that the reference can do
// it again (`run --engine=reference --jit-schedule`, language.md section 5). JSON lines,
// docs/schemas/jit_schedule.schema.json. Where in the run something happened is said by the clock
// of sourir/semantics/extend_program.h.
#pragma once

#include "native/engine/engine.h"
#include "native/tiering/added_version.h"
#include "sourir/semantics/text/state_text.h"

#include <functional>
#include <set>

namespace sourir {

// Of the canonical text: a log belongs to one program.
std::string program_digest(const Program& program, const Names& names);

// What a run came to, in both engines: comparable.
nlohmann::ordered_json end_json(const Outcome& outcome, const Config& last, const Names& names);

class ScheduleLog {
public:
  using Write = std::function<void(const std::string&)>; // a line, with its end

  ScheduleLog(const LinkedProgram& program, const Names& names, Write write)
      : program_(program), names_(names), write_(std::move(write)) {}

  void begin(const std::string& engine, const std::string& leave);
  void step(const native::TierStep& step);
  void printed(std::string_view line) { output_.add(line); }
  void end(const native::EngineRun& run);

private:
  void version(const native::AddedVersion& added);

  const LinkedProgram& program_;
  const Names& names_;
  Write write_;
  Digest output_;
  std::set<std::uint64_t> versions_; // that are in the log
};

} // namespace sourir
