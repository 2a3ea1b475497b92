// The assume or anchor whose exit may still be taken at a position (dissertation 2.8, and 2.5
// "Unrestricted Deoptimization"): control has passed it on all paths, and from it to the position
// all instructions are re-executable and change no variable that its metadata mentions.
#pragma once

#include "sourir/analysis/dataflow.h"
#include "sourir/analysis/version_analyses.h"

namespace sourir {

// The exit; empty: none.
struct UsableExit {
  std::optional<Position> at;

  bool join(const UsableExit& other) {
    if (at == other.at || !at) return false;
    at.reset();
    return true;
  }
  friend bool operator==(const UsableExit&, const UsableExit&) = default;
};

class UsableExits {
public:
  using State = UsableExit;
  static constexpr Direction kDirection = Direction::Forward;

  explicit UsableExits(const Version& version);

  UsableExit boundary(BlockId) const { return {}; }
  void transfer(UsableExit& usable, Position at) const;
  // Precondition: `at` is no exit. Whether it changes a variable that the exit's metadata mentions.
  bool changes(Position at, Position exit) const;

private:
  const Version& version_;
  std::vector<std::vector<Var>> reads_; // by position of the exit
};

// Why there is no exit at a position.
struct NoUsableExit {
  enum class Why : std::uint8_t {
    NotPassed,     // a path passes none
    PathsMeet,     // each path passes one, but not the same
    Changed,       // the instruction at `cause` changes a variable that the metadata mentions
    NotRepeatable, // that instruction may not be executed again
  };
  Why why = Why::PathsMeet;
  Position cause = 0;
};

// By position, before its instruction: an exit, why there is none (on one of the paths), or empty
// where control never gets.
using UsableExitOrWhy = std::variant<std::monostate, Position, NoUsableExit>;
std::vector<UsableExitOrWhy> usable_exits(VersionAnalyses& facts);

} // namespace sourir
