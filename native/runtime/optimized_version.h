// A version that the optimizer made while the program ran.
#pragma once

#include "native/runtime/site_feedback.h"
#include "sourir/semantics/link.h"
#include "sourir/syntax/state_map.h"

#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace sourir::native {

using SitePlace = std::pair<const ResolvedVersion*, Pc>;

// Constant once it is part of the run, but for `deopt_map`.
struct OptimizedVersion {
  std::uint64_t number = 0;         // from 1 on, each its own, once it is part of the run
  std::unique_ptr<Program> program; // the part of the running one for it (program_part.h), with it
  std::unique_ptr<LinkedProgram> linked;
  std::vector<std::unique_ptr<ResolvedVersion>>
      streams;  // relink_exits(): itself, then what its exits enter
  StateMap map; // from it to the running program
  // By position: where the instruction comes from in the running program, if it is the same kind
  // of instruction there, and the feedback of that place when the version was made.
  std::vector<std::optional<SitePlace>> origins;
  std::vector<SiteFeedback> sites;
  std::optional<OutlinedFrom> outlined_from; // an outlined loop: what it is of
  std::unique_ptr<Program> source_program;   // an outlined loop: the part with it, not optimized
  std::unique_ptr<LinkedProgram> source;
  std::vector<Slot> entered_with; // an outlined loop: the slots that are its parameters

  const ResolvedVersion& code() const { return *streams.front(); }
  // The exit from a position of the version into what it was made from; null: the state map leaves
  // something open there. Linked when it is first asked for. Thread: of the program, or whoever
  // holds its lock. Valid as long as this.
  const resolved::Exit* deopt_map(Pc pc, const LinkedProgram& running);

private:
  std::map<Pc, std::optional<resolved::Exit>> deopt_maps_; // those that were asked for
};

} // namespace sourir::native
