// What has to be copied with a loop: its blocks, and those behind it where variables are in scope
// that it declares, for a copy declares others. Internal to unroll.
#pragma once

#include "sourir/analysis/version_analyses.h"

#include <string>
#include <unordered_set>

namespace sourir {

struct LoopRegion {
  std::size_t loop = 0; // of Loops
  BlockId header;
  std::vector<BlockId> blocks;      // ascending; never the end of the version
  std::vector<Var> declared;        // by the blocks, each once
  std::vector<BlockId> branched_to; // blocks outside that its branches go to; ascending
  std::size_t size = 0;             // instructions
};

// Empty: the loop cannot be copied; `why` tells people.
std::optional<LoopRegion> loop_region(VersionAnalyses& facts, std::size_t loop,
                                      std::uint64_t max_size, std::string& why);

} // namespace sourir
