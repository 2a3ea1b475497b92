// `run --tiers=schedule`: a log of what the tiers did to a program, exact enough that the reference
// can do the same (`run --engine=reference --jit-schedule`, docs/runtime.md). JSON lines,
// docs/schemas/jit_schedule.schema.json. The event counter of sourir/semantics/link.h
// says when in the run something happened.
#pragma once

#include "sourir/semantics/link.h"
#include "sourir/semantics/run.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/state_map.h"

#include <functional>
#include <optional>
#include <set>

namespace sourir {

// An optimized version that was added while the program ran. All outlives the record.
struct VersionRecord {
  std::uint64_t number = 0; // from 1 on, each its own
  const ResolvedVersion* code = nullptr;
  const Program* program = nullptr;       // the part of the running one for it, with it
  const StateMap* map = nullptr;          // to the running program
  const OutlinedFrom* outlined = nullptr; // the loop that it is; null: it is of a function
};

// What a tier did.
struct StepRecord {
  enum class Kind : std::uint8_t {
    Entered,     // from this call on, calls of its function enter `code`
    OsrEntry,    // the running frame goes on in `into`, at its start
    Deopt,       // an exit was taken: `state` is that of its frames
    MappedDeopt, // the same by the deopt map of an added version, at a position without an exit
    Bailout,     // native code was left for the interpreter, nothing else changes
  };
  Kind kind = Kind::Entered;
  std::uint64_t events = 0;              // the event counter, with the call or exit itself
  std::uint64_t depth = 0;               // Deopt, MappedDeopt, Bailout: continuations after it
  const ResolvedVersion* code = nullptr; // all but Entered: the version that the frame was in,
  Pc pc = 0;                             // and its position
  std::optional<VersionRecord> added;    // that has `code`; none: it is of the program
  std::optional<VersionRecord> into;     // OsrEntry
  const resolved::Exit* exit = nullptr;  // Deopt, MappedDeopt
  const Config* state = nullptr;         // null: not recorded
};
const char* name_of(StepRecord::Kind kind); // in the log: "osr-entry"

// Of the canonical text: a log belongs to one program.
std::string program_digest(const Program& program, const Names& names);

// What a run came to, in both engines: comparable.
nlohmann::ordered_json end_json(const Outcome& outcome, const Config& last, const Names& names);

class ScheduleLog {
public:
  using Write = std::function<void(const std::string&)>; // a line, with its end

  ScheduleLog(const LinkedProgram& program, const Names& names, Write write)
      : program_(program), names_(names), write_(std::move(write)) {}

  // deopt: the schedule of forced exits.
  void begin(const std::string& engine, const std::string& deopt);
  void step(const StepRecord& step);
  void printed(std::string_view line) { output_.add(line); }
  void end(const Outcome& outcome, const Config& last, std::uint64_t events);

private:
  void version(const VersionRecord& added);

  const LinkedProgram& program_;
  const Names& names_;
  Write write_;
  Digest output_;
  std::set<std::uint64_t> versions_; // that are in the log
};

} // namespace sourir
