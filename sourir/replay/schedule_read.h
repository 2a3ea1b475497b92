// The reader of the logs that schedule_log.h writes: versions and steps of a linked program.
#pragma once

#include "sourir/replay/schedule_log.h"
#include "sourir/syntax/result.h"

#include <nlohmann/json.hpp>

#include <functional>
#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace sourir {

// A version of the log, in a program that extends the running one.
struct LoggedVersion {
  std::unique_ptr<Program> program;
  std::unique_ptr<LinkedProgram> linked;
  std::vector<std::unique_ptr<ResolvedVersion>> streams; // relink_exits()
  std::optional<OutlinedFrom> outlined;                  // set for an outlined loop
  // Outlined: the slots that its start takes, of each frame, the innermost first.
  std::vector<std::vector<Slot>> with;
  StateMap map; // to `source`
  // Outlined: the running program with the outlined loop; otherwise null, the running program.
  std::unique_ptr<Program> source;
  std::unique_ptr<LinkedProgram> linked_source;

  const ResolvedVersion& code() const { return *streams.front(); }
};

struct LoggedStep {
  using Kind = StepRecord::Kind;
  Kind kind = Kind::Entered;
  std::size_t line = 0; // of the log
  std::uint64_t events = 0, depth = 0;
  const ResolvedVersion* code = nullptr; // the frame's version; Entered: what calls enter
  Pc pc = 0;
  const LoggedVersion* into = nullptr; // Entered: null for the program's own version
  std::size_t frames = 1;
  std::optional<resolved::Exit> exit; // MappedDeopt: as the map says
  nlohmann::ordered_json state;       // null: not recorded
  std::string digest;
};

struct JitSchedule {
  std::vector<std::unique_ptr<LoggedVersion>> versions;
  std::vector<LoggedStep> steps;
  std::string deopt;          // the schedule of forced exits
  std::uint64_t events = 0;   // at the end
  nlohmann::ordered_json end; // outcome: end_json() and what was printed
};

// An outlined loop: what an activation does from the loop header on, as a function of its own. The
// program has that function added.
struct OutlinedProgram {
  std::unique_ptr<Program> program;
  FunName function;
  std::vector<Pc> copies; // as in OutlinedFrom
};
// The rest of a callee, whose result the activation waits for there: its function is in `program`.
struct OutlinedCall {
  FunName function;
  std::size_t parameters = 0;
  Var result;
};
// callee: null for the innermost frame. Empty: there is no such loop.
using OutlineLoop = std::function<std::optional<OutlinedProgram>(
    const Program& running, const Program& program, const ResolvedVersion& from, Pc head,
    Names& names, const OutlinedCall* callee)>;

// The log, or "line N: MESSAGE". The program must outlive it.
Result<JitSchedule> read_schedule(const std::string& text, const LinkedProgram& program,
                                  Names& names, const OutlineLoop& outline);

} // namespace sourir
