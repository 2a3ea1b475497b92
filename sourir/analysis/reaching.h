// Reaching definitions: those that may have defined the current value of a variable.
#pragma once

#include "sourir/analysis/dataflow.h"
#include "sourir/syntax/scopes.h"

namespace sourir {

struct Definition {
  Var name;
  Position at; // kIncoming: a parameter, or bound by an exit
  friend auto operator<=>(const Definition&, const Definition&) = default;
};
inline constexpr Position kIncoming = ~Position{0};

class ReachingDefinitions {
public:
  struct State {
    std::vector<Definition> definitions; // sorted
    bool join(const State& other);
    friend bool operator==(const State&, const State&) = default;
  };
  static constexpr Direction kDirection = Direction::Forward;

  ReachingDefinitions(const Version& version, const Cfg& cfg, const Scopes& scopes)
      : version_(version), cfg_(cfg), scopes_(scopes) {}

  State boundary(BlockId root) const;
  void transfer(State& state, Position at) const;

private:
  const Version& version_;
  const Cfg& cfg_;
  const Scopes& scopes_;
};

} // namespace sourir
