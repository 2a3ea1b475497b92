// A version that the optimizer added while the program ran, with its state map, the origins of its
// instructions and its deopt maps.
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

// Constant once it is part of the run, except for `deopt_map`.
struct OptimizedVersion {
  std::uint64_t number = 0;         // unique, from 1 on; 0: not yet part of the run
  std::unique_ptr<Program> program; // a part of the running one (program_part.h) and the version
  std::unique_ptr<LinkedProgram> linked;
  std::vector<std::unique_ptr<ResolvedVersion>>
      streams;  // relink_exits(): itself, then the targets of its exits
  StateMap map; // from the version to the running program
  // By position: the instruction's origin in the running program, if that is an instruction of the
  // same form, and the feedback of the origin when the version was optimized.
  std::vector<std::optional<SitePlace>> origins;
  std::vector<SiteFeedback> sites;
  std::optional<OutlinedFrom> outlined_from; // an outlined loop: what it is of
  std::unique_ptr<Program> source_program;   // an outlined loop: the part with it, not optimized
  std::unique_ptr<LinkedProgram> source;
  std::vector<Slot> entered_with; // an outlined loop: the slots that are its parameters

  const ResolvedVersion& code() const { return *streams.front(); }
  // The exit from a position of the version to its source; null: the state map is incomplete there.
  // Linked at the first request; valid as long as this object. Thread of the program, or a holder
  // of its lock.
  const resolved::Exit* deopt_map(Pc pc, const LinkedProgram& running);
  // The same for reports: variables whose values the state map does not know have no entry.
  std::optional<resolved::Exit> known_state(Pc pc, const LinkedProgram& running) const;

private:
  std::optional<resolved::Exit> link_state(const Metadata& state,
                                           const LinkedProgram& running) const;
  std::optional<Metadata> state_at(Pc pc, const LinkedProgram& running) const;

  std::map<Pc, std::optional<resolved::Exit>> deopt_maps_; // those requested
};

} // namespace sourir::native
