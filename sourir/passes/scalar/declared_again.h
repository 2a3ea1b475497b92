// The variables of a version whose names are declared more than once, each under a name of its own.
#pragma once

#include "sourir/passes/core/pass.h"
#include "sourir/passes/core/renaming.h"
#include "sourir/syntax/exit_frames.h"

namespace sourir {

// The frames of a program's exits by the version that they enter.
class EnteringFrames {
public:
  explicit EnteringFrames(const Program& program);
  const std::vector<ExitFrame>& of(FunName function, VerName version) const;

private:
  std::unordered_map<std::uint64_t, std::vector<ExitFrame>> frames_; // by both names
};

class DeclaredAgain {
public:
  // `fresh` knows all names of the version; `entering` are the frames that enter it.
  DeclaredAgain(const Function& function, const Version& version,
                const std::vector<ExitFrame>& entering, FreshNames& fresh);

  bool empty() const { return by_position_.empty(); }
  // New names of variables in scope before a position, or declared there, as far as its
  // instruction, its scope notes or exits that enter there mention them.
  const Renaming& at(Position at) const;
  // Each new name with the old one, in order of their declarations.
  const std::vector<std::pair<Var, Var>>& renamed() const { return renamed_; }
  // Names that stay declared more than once: an exit brings a variable that goes on as several.
  const std::vector<Var>& kept() const { return kept_; }

private:
  std::unordered_map<Position, Renaming> by_position_;
  std::vector<std::pair<Var, Var>> renamed_;
  std::vector<Var> kept_;
};

} // namespace sourir
