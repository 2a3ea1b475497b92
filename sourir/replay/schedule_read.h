// Reads what schedule_log.h writes, as versions and steps of a linked program.
#pragma once

#include "sourir/semantics/relink_exits.h"
#include "sourir/syntax/state_map.h"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <variant>
#include <vector>

namespace sourir {

// A version of the log: a program that grew out of the one that runs.
struct LoggedVersion {
  std::unique_ptr<Program> program;
  std::unique_ptr<LinkedProgram> linked;
  std::vector<std::unique_ptr<ResolvedVersion>> streams; // relink_exits()
  std::optional<OutlinedFrom> cut_out;
  std::vector<Slot> with; // cut out: the slots that it begins with
  StateMap map;           // to `source`
  // Cut out: the running program with what was cut out; otherwise null, the running program.
  std::unique_ptr<Program> source;
  std::unique_ptr<LinkedProgram> linked_source;

  const ResolvedVersion& code() const { return *streams.front(); }
};

struct LoggedStep {
  enum class Kind : std::uint8_t { Entered, Moved, Left, Mapped, Resumed };
  Kind kind = Kind::Entered;
  std::size_t line = 0; // of the log
  std::uint64_t clock = 0, depth = 0;
  const ResolvedVersion* code = nullptr; // the frame's version; Entered: what calls enter
  Pc pc = 0;
  const LoggedVersion* into = nullptr; // Entered: null, as written
  std::size_t frames = 1;
  std::optional<resolved::Exit> exit; // Mapped: as the map says
  nlohmann::ordered_json state;   // null: not recorded
  std::string digest;
};

struct JitSchedule {
  std::vector<std::unique_ptr<LoggedVersion>> versions;
  std::vector<LoggedStep> steps;
  std::string leave;
  std::uint64_t clock = 0;    // at the end
  nlohmann::ordered_json end; // outcome: end_json() and what was printed
};

// The log, or "line N: what is wrong". The program must outlive it.
std::variant<JitSchedule, std::string> read_schedule(const std::string& text,
                                                     const LinkedProgram& program, Names& names);

} // namespace sourir
