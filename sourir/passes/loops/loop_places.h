// Where instructions can go before a loop and behind it. Internal to licm.
#pragma once

#include "sourir/passes/core/rewrite.h"

namespace sourir {

// An end of a block: before its last instruction if that jumps.
struct LoopPlaces {
  std::size_t loop = 0;
  // The edges into the loop from outside; one: there is a preheader.
  std::vector<Position> entries; // their gotos
  std::vector<Position> leaving; // in front of these, drops go
  Position header = 0;
};

// Empty: something falls through into the loop or the version's end, an exit from it leads to a
// place that others come to by a branch, or there are too many exits.
std::optional<LoopPlaces> places_of(VersionTask& task, std::size_t loop);

// Puts instructions before the loop: into the preheader, or into a new one behind the version.
// `fresh` knows all labels.
void insert_before(VersionTask& task, const LoopPlaces& places, std::vector<Instruction> instrs,
                   FreshNames& fresh);

} // namespace sourir
