// `run --tiers=schedule`: a log of what the tiers did to a program, exact enough for a replay in
// the reference (`run --engine=reference --jit-schedule`, docs/runtime.md). JSON lines,
// docs/schemas/jit_schedule.schema.json. Times are values of the event counter
// (sourir/semantics/link.h).
#pragma once

#include "sourir/semantics/link.h"
#include "sourir/semantics/run.h"
#include "sourir/semantics/text/state_text.h"
#include "sourir/syntax/state_map.h"

#include <functional>
#include <optional>
#include <set>

namespace sourir {

// An optimized version that was added while the program ran. Its pointers outlive the record.
struct VersionRecord {
  std::uint64_t number = 0; // from 1, unique
  const ResolvedVersion* code = nullptr;
  const Program* program = nullptr;       // the part of the running program that it uses, with it
  const StateMap* map = nullptr;          // to the running program
  const OutlinedFrom* outlined = nullptr; // the outlined loop; null: a version of a function
};

// What a tier did.
struct StepRecord {
  enum class Kind : std::uint8_t {
    Entered,     // from this call on, calls of its function enter `code`
    OsrEntry,    // the running frame continues at the start of `into`; if that is the rest of a
                 // stack of frames, all of these
    Deopt,       // an exit was taken: `state` is that of its frames
    MappedDeopt, // the same by the deopt map of an added version, at a position without an exit
    Bailout,     // from native code to the interpreter at the same position
  };
  Kind kind = Kind::Entered;
  std::uint64_t events = 0;              // the event counter, with the call or exit itself
  std::uint64_t depth = 0;               // continuations after it; OsrEntry: before it
  const ResolvedVersion* code = nullptr; // all but Entered: the version that the frame was in,
  Pc pc = 0;                             // and its position
  std::optional<VersionRecord> added;    // the one of `code`; none: a version of the program
  std::optional<VersionRecord> into;     // OsrEntry
  const resolved::Exit* exit = nullptr;  // Deopt, MappedDeopt
  const Config* state = nullptr;         // null: not recorded
};
const char* name_of(StepRecord::Kind kind); // in the log: "osr-entry"

// The digest of the canonical text: a log belongs to one program.
std::string program_digest(const Program& program, const Names& names);

// The end of a run, in the same form for all engines.
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
  std::set<std::uint64_t> versions_; // numbers of those in the log
};

} // namespace sourir
