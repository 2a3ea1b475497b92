// A version that the optimizer made for a program that runs (language.md section 5).
#pragma once

#include "native/runtime/site_feedback.h"
#include "native/tiering/optimizer.h"
#include "sourir/semantics/relink_exits.h"

#include <map>
#include <memory>
#include <span>

namespace sourir::native {

using SitePlace = std::pair<const ResolvedVersion*, Pc>;

struct AddedVersion {
  std::uint64_t number = 0;         // from 1 on, each its own, once it is part of the run
  std::unique_ptr<Program> program; // the part of the running one for it (program_part.h), with it
  std::unique_ptr<LinkedProgram> linked;
  std::vector<std::unique_ptr<ResolvedVersion>>
      streams; // relink_exits(): itself, then what its exits enter
  StateMap map;                                      // from it to the running program
  // By position: where the instruction comes from in the running program, if it is the same kind
  // of instruction there, and what was seen there before it was made.
  std::vector<std::optional<SitePlace>> origins;
  std::vector<SiteFeedback> sites;
  std::optional<OutlinedFrom> cut_out;     // add_loop: what it is of
  std::unique_ptr<Program> source_program; // add_loop: such a part with what was cut out
  std::unique_ptr<LinkedProgram> source;
  std::vector<Slot> entered_with; // add_loop: the slots of the version that it begins with

  const ResolvedVersion& code() const { return *streams.front(); }
  // How an activation at a position of it goes on in what it was made from; null: there the state
  // map leaves something open. For one thread at a time; valid as long as this.
  const resolved::Exit* way_back(Pc pc, const LinkedProgram& running);

private:
  std::map<Pc, std::optional<resolved::Exit>> ways_back_; // those that were asked for
};

// What was seen at the positions of a version of the running program; empty: it has not run.
using SitesOf = std::function<std::span<const SiteFeedback>(const ResolvedVersion&)>;

// The same for what is left of a version at the head of a loop; its parameters come first among the
// slots. Empty: that cannot be cut out.
std::unique_ptr<AddedVersion> add_loop(const LinkedProgram& running, const ResolvedVersion& code,
                                       Pc head, const Feedback& feedback,
                                       const std::vector<Tag>& kinds, const SitesOf& sites_of,
                                       const Optimizer& optimizer, Names& names);

// Empty: the optimizer has nothing to offer.
std::unique_ptr<AddedVersion> add_version(const LinkedProgram& running, FunName function,
                                          const Feedback& feedback, const SitesOf& sites_of,
                                          const Optimizer& optimizer, Names& names);

} // namespace sourir::native
