// Where assumes may move to (Lemma 6). Internal to move-assumes.
#pragma once

#include "sourir/passes/core/rewrite.h"

#include <map>

namespace sourir {

struct AssumeMove {
  std::vector<Position> to;        // in front of these, each on another path
  std::vector<BlockId> other_arms; // arms on the way that lead to none of them
  std::vector<Position> passed;    // the instructions that it moves over
  std::vector<Var> changed;        // what these change, each once
  // What must keep its value behind the old place: all that the assume reads; if it may leave by
  // itself also what the version reads later, because the states on the way map to the old place.
  std::vector<Var> kept;
};

// By the position of the assume.
std::map<Position, AssumeMove> assume_moves(VersionTask& task);

} // namespace sourir
