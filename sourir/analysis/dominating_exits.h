// The assumes and anchors that dominate a position, the nearest first, each with the definitions
// that the variables have there (dissertation 2.5). A predicate may be put at one of them if it
// reads the same values there.
#pragma once

#include "sourir/analysis/definitions.h"
#include "sourir/analysis/version_analyses.h"

namespace sourir {

class DominatingExits {
public:
  struct Exit {
    Position at;
    Definitions::State state;
    std::optional<std::size_t> up; // the next one, farther away
    std::size_t jump, depth; // jump: one much farther away (itself: none); depth: their number
  };

  explicit DominatingExits(VersionAnalyses& facts);

  const Exit& operator[](std::size_t exit) const { return exits_[exit]; }
  std::size_t size() const { return exits_.size(); }
  // The exit at a reachable position; empty: none.
  std::optional<std::size_t> at(Position at) const {
    return number_[at] == kNone ? std::nullopt : std::optional(number_[at]);
  }

  // The farthest one, from `exit` up, where the expression reads the same values.
  std::size_t farthest(std::size_t exit, const Expr& e) const;

  // visit(position, state, nearest exit before it) for each reachable position, ascending.
  template <class Visit>
  void for_each_position(Visit&& visit) const {
    for (std::size_t b = 0; b < cfg_.blocks().size(); ++b) {
      const BlockId id{static_cast<std::uint32_t>(b)};
      if (!cfg_.reachable(id)) continue;
      Definitions::State state = definitions_.at_begin(id);
      std::optional<std::size_t> nearest = above_[b];
      for (Position at = cfg_[id].begin; at < cfg_[id].end; ++at) {
        visit(at, std::as_const(state), nearest);
        definitions_.transfer(state, at);
        if (number_[at] != kNone) nearest = number_[at];
      }
    }
  }

private:
  static constexpr std::size_t kNone = ~std::size_t{0};
  void link(Exit& exit, std::size_t up) const;
  void add_block(const Version& version, BlockId b, std::optional<std::size_t> nearest);

  const Cfg& cfg_;
  Definitions definitions_;
  std::vector<Exit> exits_;
  std::vector<std::size_t> number_;                      // by position
  std::vector<std::optional<std::size_t>> above_, last_; // by block: at its begin, at its end
};

} // namespace sourir
