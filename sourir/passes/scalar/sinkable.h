// Variables whose values only exits look at, and how these can make the values themselves. Internal
// to sink.
#pragma once

#include "sourir/analysis/version_analyses.h"

#include <map>
#include <unordered_map>
#include <unordered_set>

namespace sourir {

// The declaration of the variable, then the stores into it, in order of the text.
struct Sinkable {
  std::vector<Position> parts;
  std::vector<Position> drops;
  std::vector<Position> exits; // that look at it
};
using Sinkables = std::map<Var, Sinkable>;

// With total parts that look at nothing but literals and other variables. Whether those still have
// the same values at the exits is left to SunkParts.
Sinkables find_sinkable(VersionAnalyses& facts);

// How many of the parts of each variable were executed, in order; a variable is listed only while
// all that they look at is unchanged.
class SunkParts {
public:
  struct State {
    VarMap<std::uint32_t> parts;
    bool join(const State& other);
    friend bool operator==(const State&, const State&) = default;
  };
  static constexpr Direction kDirection = Direction::Forward;

  SunkParts(const Version& version, const Sinkables& sinkables);
  State boundary(BlockId) const { return {}; }
  void transfer(State& state, Position at) const;

private:
  struct Part {
    Var of;
    std::uint32_t number;
  };
  struct Operand { // of the variable's part with that number
    Var of;
    std::uint32_t number;
  };
  const Version& version_;
  std::unordered_map<Position, Part> part_at_;
  std::unordered_map<Var, std::vector<Operand>> operands_;
};

} // namespace sourir
