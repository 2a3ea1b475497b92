#include "sourir/passes/dominating_exits.h"

#include "sourir/syntax/exit_frames.h"

namespace sourir {

DominatingExits::DominatingExits(VersionAnalyses& facts)
    : cfg_(facts.cfg()), definitions_(facts), number_(facts.version().body.size(), kNone),
      above_(cfg_.blocks().size()), last_(above_.size()) {
  const Dominators& dominators = facts.dominators();
  for (const BlockId b : dominators.preorder()) {
    const auto up = dominators.immediate(b);
    add_block(facts.version(), b, up ? last_[up->id] : std::nullopt);
  }
}

void DominatingExits::add_block(const Version& version, BlockId b,
                                std::optional<std::size_t> nearest) {
  above_[b.id] = nearest;
  Definitions::State state = definitions_.at_begin(b);
  for (Position at = cfg_[b].begin; at < cfg_[b].end; ++at) {
    if (exit_of(version.body[at].instr) != nullptr) {
      number_[at] = exits_.size();
      exits_.push_back({at, state, nearest});
      nearest = number_[at];
    }
    definitions_.transfer(state, at);
  }
  last_[b.id] = nearest;
}

} // namespace sourir
